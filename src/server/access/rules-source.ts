import { readFile } from 'node:fs/promises';
import { Sealer } from '../../auth/identity/sealing.ts';
import { compilePolicy } from '../../auth/policy/compile-policy.ts';
import { PolicyError } from '../../auth/policy/policy-error.ts';
import type { Platform } from '../../platform/platform.ts';
import { partitionOfRegion } from '../../queue/record.ts';
import type { Settings } from '../config/settings.ts';
import { keyFileOf } from '../identity/identity-commands.ts';
import { loadIdentities } from '../identity/load-identities.ts';
import { masterKeyFrom } from '../identity/master-key-file.ts';
import { ConfigError } from '../start-error.ts';
import type { AccessRules, AccessSecrets } from './access-rules.ts';

export type AccessSettings = Pick<Settings, 'identityFile' | 'keyFile' | 'endpointPolicy' | 'region'>;

/** The files that say who may do what, read anew each time. */
export class RulesSource {
  readonly secrets: AccessSecrets;
  readonly #settings: AccessSettings;
  readonly #sealer: Sealer;

  private constructor(settings: AccessSettings, masterKey: Uint8Array, randomBytes: Platform['randomBytes']) {
    this.#settings = settings;
    this.#sealer = new Sealer(masterKey, 'secret-access-key', randomBytes);
    this.secrets = { masterKey: Buffer.from(masterKey).toString('base64') };
  }

  /** @throws StartError when the key file cannot be used. */
  static async open(settings: AccessSettings, { randomBytes }: Pick<Platform, 'randomBytes'>): Promise<RulesSource> {
    const { identityFile: file, keyFile } = settings;
    return new RulesSource(settings, await masterKeyFrom(keyFileOf({ file, keyFile }), randomBytes), randomBytes);
  }

  /** All that the rules are read from. */
  get paths(): string[] {
    const { identityFile, endpointPolicy } = this.#settings;
    return endpointPolicy === undefined ? [identityFile] : [identityFile, endpointPolicy];
  }

  /** @throws ConfigError naming what is wrong. */
  async read(): Promise<AccessRules> {
    const { identityFile, endpointPolicy, region } = this.#settings;
    const partition = partitionOfRegion(region);
    const sources = { sealer: this.#sealer, env: process.env, partition };
    const [{ accounts }, policy] = await Promise.all([
      loadIdentities(identityFile, sources),
      endpointPolicy === undefined ? undefined : readEndpointPolicy(endpointPolicy),
    ]);
    return { partition, accounts, endpointPolicy: policy };
  }
}

async function readEndpointPolicy(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    compilePolicy(text, 'endpoint');
    return text;
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof PolicyError ? 'is no policy' : 'cannot be read';
    throw new ConfigError([`the endpoint policy ${path} ${problem}: ${message}`], { cause: error });
  }
}

import { basename, dirname, extname, join } from 'node:path';
import { Sealer } from '../../auth/identity/sealing.ts';
import { realPlatform } from '../../platform/real.ts';
import { editIdentityFile, readIdentityFile } from './identity-file-editor.ts';
import { masterKeyFrom } from './master-key-file.ts';

/** Where identities are kept. */
export interface IdentityFiles {
  file: string;
  keyFile?: string;
}

/** Beside the identity file: `identity.yaml` -> `identity.key`. */
export function keyFileOf({ file, keyFile }: IdentityFiles): string {
  return keyFile ?? join(dirname(file), `${basename(file, extname(file))}.key`);
}

/** @throws StartError, as all of these. */
export async function addUser(
  files: IdentityFiles,
  user: { name: string; account: string; groups: readonly string[] },
): Promise<void> {
  const { randomBytes } = realPlatform();
  await editIdentityFile(files.file, (draft) => draft.addUser(user.account, user.name, user.groups, randomBytes));
}

export async function addKey(
  files: IdentityFiles,
  user: { name: string; account?: string },
): Promise<{ accessKeyId: string; secret: string; account: string }> {
  const { randomBytes } = realPlatform();
  const masterKey = await masterKeyFrom(keyFileOf(files), randomBytes);
  const sealer = new Sealer(masterKey, 'secret-access-key', randomBytes);
  return editIdentityFile(files.file, (draft) => draft.addKey(user.name, user.account, sealer, randomBytes));
}

export async function removeKey(files: IdentityFiles, accessKeyId: string): Promise<void> {
  await editIdentityFile(files.file, (draft) => draft.removeKey(accessKeyId));
}

/** A line for each identity and each access key. No secrets. */
export async function listIdentities(files: IdentityFiles): Promise<string[]> {
  const { accounts } = await readIdentityFile(files.file);
  return Object.entries(accounts).flatMap(([account, { root, users, groups, roles }]) => [
    ...linesOf(`${account} root`, root.accessKeys),
    ...Object.entries(users).flatMap(([name, user]) => {
      const memberships = user.groups.length > 0 ? ` (${user.groups.join(', ')})` : '';
      return linesOf(`${account} user ${name}${memberships}`, user.accessKeys);
    }),
    ...Object.keys(groups).map((name) => `${account} group ${name}`),
    ...Object.keys(roles).map((name) => `${account} role ${name}`),
  ]);
}

function linesOf(identity: string, keys: readonly { id: string; active: boolean; secret: object }[]): string[] {
  const key = ({ id, active, secret }: (typeof keys)[number]): string => {
    const source = 'env' in secret ? `, secret in ${secret.env}` : '';
    return `  ${id}${active ? '' : ', not active'}${source}`;
  };
  return [identity, ...keys.map(key)];
}

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { IdentityDirectory } from '../../auth/identity/directory.ts';
import { derivedId } from '../../auth/identity/identity-ids.ts';
import { type AccessKey, type Account, type Group, iamArn, type Policy, rootArn } from '../../auth/identity/model.ts';
import type { Sealer } from '../../auth/identity/sealing.ts';
import { ConfigError } from '../start-error.ts';
import {
  type AccessKeyDeclaration,
  type AccountDeclaration,
  type IdentityDeclarations,
  parseDeclarations,
} from './identity-declarations.ts';

export interface IdentitySources {
  /** Of secrets in the file. */
  sealer: Sealer;
  /** Where `secret: {env: NAME}` is looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** `aws`, `aws-cn`, ... */
  partition: string;
}

/**
 * Reads an identity file, YAML or JSON, and builds the directory of who is in it. To load it again is to call this again;
 * what is wrong then leaves the earlier directory as it was.
 *
 * @throws ConfigError naming all that is wrong.
 */
export async function loadIdentities(path: string, sources: IdentitySources): Promise<IdentityDirectory> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new ConfigError([`cannot read the identity file ${path}: ${reason}`], { cause: error });
  });
  return buildDirectory(declarationsIn(text, path), sources, path);
}

/** @throws ConfigError */
export function declarationsIn(text: string, path: string): IdentityDeclarations {
  let value: unknown;
  try {
    // JSON, too: it is a subset.
    value = parse(text);
  } catch (error) {
    const reason = String((error as Error).message)
      .split('\n', 1)[0]
      ?.replace(/:$/, '');
    throw new ConfigError([`the identity file ${path} cannot be parsed: ${reason}`], { cause: error });
  }
  const parsed = parseDeclarations(value);
  if ('problems' in parsed) throw new ConfigError(parsed.problems.map((problem) => `${problem} (${path})`));
  return parsed.value;
}

function buildDirectory(
  { accounts }: IdentityDeclarations,
  { sealer, env, partition }: IdentitySources,
  path: string,
): IdentityDirectory {
  const problems: string[] = [];
  const keysOf = (declarations: readonly AccessKeyDeclaration[]): AccessKey[] =>
    declarations.flatMap(({ id, secret, active }) => {
      const text = 'env' in secret ? env[secret.env] : sealer.open(secret.sealed, id);
      if (text) return [{ id, secret: text, active }];
      problems.push(
        'env' in secret
          ? `the secret of the access key ${id} is to be in ${secret.env}, which is not set (${path})`
          : `the secret of the access key ${id} was sealed for another one, or under another key file (${path})`,
      );
      return [];
    });
  const built = Object.entries(accounts).map(([id, account]) => buildAccount(id, account, partition, keysOf));
  if (problems.length > 0) throw new ConfigError(problems);
  return new IdentityDirectory(partition, built);
}

function buildAccount(
  account: string,
  declaration: AccountDeclaration,
  partition: string,
  keysOf: (declarations: readonly AccessKeyDeclaration[]) => AccessKey[],
): Account {
  const identityOf = (kind: 'user' | 'group' | 'role', name: string, { id, path }: { id?: string; path: string }) => ({
    account,
    name,
    arn: iamArn(partition, account, kind, path, name),
    id: id ?? derivedId(kind, account, name),
  });
  const groups = new Map<string, Group>();
  for (const [name, group] of Object.entries(declaration.groups)) {
    groups.set(name, { ...identityOf('group', name, group), policies: policiesOf(group.policies) });
  }
  return {
    id: account,
    root: { account, arn: rootArn(partition, account), accessKeys: keysOf(declaration.root.accessKeys) },
    groups: [...groups.values()],
    users: Object.entries(declaration.users).map(([name, user]) => ({
      ...identityOf('user', name, user),
      groups: user.groups.map((group) => groups.get(group)).filter((group) => group !== undefined),
      policies: policiesOf(user.policies),
      permissionsBoundary: user.permissionsBoundary,
      tags: user.tags,
      accessKeys: keysOf(user.accessKeys),
    })),
    roles: Object.entries(declaration.roles).map(([name, role]) => ({
      ...identityOf('role', name, role),
      trustPolicy: role.trustPolicy,
      sessionSecondsMax: role.sessionSecondsMax,
      policies: policiesOf(role.policies),
      permissionsBoundary: role.permissionsBoundary,
      tags: role.tags,
    })),
  };
}

function policiesOf(policies: Readonly<Record<string, string>>): Policy[] {
  return Object.entries(policies).map(([name, document]) => ({ name, document }));
}

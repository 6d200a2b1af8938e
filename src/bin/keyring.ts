import { type Flags, loadSettings } from '../server/config/load.ts';
import { keyringPath } from '../server/encryption.ts';
import { addToKeyring, loadKeyring, rotateKeyring } from '../server/keyring-commands.ts';

export async function listKeys(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  show(await loadKeyring(keyringPath(await loadSettings(flags, env))));
}

export async function rotateKeys(name: string | undefined, flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  show(await rotateKeyring(keyringPath(await loadSettings(flags, env)), name));
}

export async function addKey(name: string, flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  show(await addToKeyring(keyringPath(await loadSettings(flags, env)), name));
}

/** One line per version, the current one of each key first. Never the secrets. */
function show({ keys }: Awaited<ReturnType<typeof loadKeyring>>): void {
  for (const { name, versions } of keys) {
    for (const { id, createdAt } of versions.toReversed()) {
      const role = id === versions.at(-1)?.id ? 'current' : 'decrypts';
      process.stdout.write(`${name}\t${id}\t${new Date(createdAt).toISOString()}\t${role}\n`);
    }
  }
}

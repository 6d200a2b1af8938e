import { readFile, realpath, unlink } from 'node:fs/promises';
import { type Document, isMap, isScalar, isSeq, parseDocument, YAMLMap, type YAMLSeq } from 'yaml';
import { newId, newSecret } from '../../auth/identity/identity-ids.ts';
import type { Sealer } from '../../auth/identity/sealing.ts';
import { StartError } from '../start-error.ts';
import type { IdentityDeclarations } from './identity-declarations.ts';
import { declarationsIn } from './load-identities.ts';
import { openNew, replaceFile } from './private-files.ts';

const EMPTY_FILE = 'version: 1\naccounts: {}\n';

type RandomBytes = (length: number) => Uint8Array;

/** An identity file on its way to its next version. What people have written into it, comments too, stays. */
export class IdentityFileDraft {
  readonly #document: Document;
  readonly #declarations: IdentityDeclarations;
  readonly #path: string;

  /** @throws ConfigError when the text is no identity file. An empty one is. */
  constructor(text: string, path: string) {
    this.#path = path;
    const source = text.trim() === '' ? EMPTY_FILE : text;
    this.#declarations = declarationsIn(source, path);
    this.#document = parseDocument(source);
  }

  get declarations(): IdentityDeclarations {
    return this.#declarations;
  }

  /** @throws StartError when there is such a user. */
  addUser(account: string, name: string, groups: readonly string[], randomBytes: RandomBytes): void {
    if (this.#usersOf(account)[name] !== undefined) {
      throw new StartError(`there is a user ${name} in account ${account} (${this.#path})`);
    }
    const users = this.#map(['accounts', account, 'users']);
    const user = { id: newId('user', randomBytes), ...(groups.length > 0 && { groups }) };
    users.set(name, this.#document.createNode(user));
  }

  /** The secret is returned, and only its sealed form is kept. @throws StartError when there is no such user, or several. */
  addKey(
    name: string,
    account: string | undefined,
    sealer: Sealer,
    randomBytes: RandomBytes,
  ): { accessKeyId: string; secret: string; account: string } {
    const owner = account ?? this.#onlyAccountWith(name);
    if (this.#usersOf(owner)[name] === undefined) {
      throw new StartError(`there is no user ${name} in account ${owner} (${this.#path})`);
    }
    const accessKeyId = newId('accessKey', randomBytes);
    const secret = newSecret(randomBytes);
    const user = this.#map(['accounts', owner, 'users', name]);
    const key = this.#document.createNode({ id: accessKeyId, secret: { sealed: sealer.seal(secret, accessKeyId) } });
    const present = user.get('accessKeys', true);
    if (isSeq(present)) present.add(key);
    else user.set('accessKeys', this.#document.createNode([key]));
    return { accessKeyId, secret, account: owner };
  }

  /** Of a user or of the root. @throws StartError when nobody has it. */
  removeKey(accessKeyId: string): void {
    for (const [account, { root, users }] of Object.entries(this.#declarations.accounts)) {
      const holders = Object.entries(users).map(([name, { accessKeys }]) => ({ place: ['users', name], accessKeys }));
      for (const { place, accessKeys } of [{ place: ['root'], accessKeys: root.accessKeys }, ...holders]) {
        const index = accessKeys.findIndex(({ id }) => id === accessKeyId);
        if (index < 0) continue;
        const keys = this.#map(['accounts', account, ...place]).get('accessKeys') as YAMLSeq;
        keys.delete(index);
        return;
      }
    }
    throw new StartError(`nobody has the access key ${accessKeyId} (${this.#path})`);
  }

  /** @throws ConfigError when the draft is no identity file any more, such as for a user in a group that is not there. */
  toString(): string {
    const text = this.#document.toString({ lineWidth: 0 });
    declarationsIn(text, this.#path);
    return this.#path.endsWith('.json') ? `${JSON.stringify(this.#document.toJS(), null, 2)}\n` : text;
  }

  #usersOf(account: string): IdentityDeclarations['accounts'][string]['users'] {
    return this.#declarations.accounts[account]?.users ?? {};
  }

  #onlyAccountWith(name: string): string {
    const accounts = Object.keys(this.#declarations.accounts).filter((account) => this.#usersOf(account)[name]);
    if (accounts.length === 1) return accounts[0] as string;
    const what =
      accounts.length === 0 ? `there is no user ${name}` : `there are users ${name} in ${accounts.join(', ')}`;
    throw new StartError(`${what} (${this.#path})${accounts.length > 1 ? '; name one with --account' : ''}`);
  }

  /** The map at a place, made where there is none. */
  #map(place: readonly string[]): YAMLMap {
    const { contents } = this.#document;
    if (!isMap(contents)) throw new Error('an identity file is a map');
    let map: YAMLMap = contents;
    for (const step of place) {
      // A key without quotes may be a number to YAML.
      const pair = map.items.find(({ key }) => String(isScalar(key) ? key.value : key) === step);
      // `{}`, as an empty one is written, would go on in one line.
      if (map.items.length === 0) map.flow = false;
      if (isMap(pair?.value)) {
        map = pair.value;
        continue;
      }
      const made = new YAMLMap(this.#document.schema);
      if (pair === undefined) map.set(this.#document.createNode(step), made);
      else pair.value = made;
      map = made;
    }
    map.flow = false;
    return map;
  }
}

/**
 * Changes an identity file: all of it or nothing, also when the machine loses power. Only its owner may read it. The
 * new version is written beside it, which also keeps a second edit away until this one is done.
 *
 * @throws StartError
 */
export async function editIdentityFile<Result>(
  path: string,
  edit: (draft: IdentityFileDraft) => Result,
): Promise<Result> {
  // Of a link its target: renaming would replace the link.
  const target = await realpath(path).catch(() => path);
  const newPath = `${target}.new`;
  const newFile = await openNew(newPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw cannotWrite(path, error);
    throw new StartError(`${newPath} is there: another edit is under way, or was cut off; if it was, delete that file`);
  });
  try {
    const draft = new IdentityFileDraft(await readOrEmpty(target), path);
    const result = edit(draft);
    const text = draft.toString();
    await replaceFile(newFile, newPath, target, text).catch((error: Error) => {
      throw cannotWrite(path, error);
    });
    return result;
  } catch (error) {
    await newFile.close();
    await unlink(newPath).catch(() => {});
    throw error;
  }
}

function cannotWrite(path: string, cause: Error): StartError {
  return new StartError(`cannot write the identity file ${path}: ${cause.message}`, { cause });
}

/** For reading only. @throws ConfigError also when there is no file. */
export async function readIdentityFile(path: string): Promise<IdentityDeclarations> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new StartError(`cannot read the identity file ${path}: ${reason}`, { cause: error });
  });
  return declarationsIn(text, path);
}

async function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new StartError(`cannot read the identity file ${path}: ${error.message}`, { cause: error });
  });
}

import type { AccessKey, Account, Role, Root, User } from './model.ts';

/** Who holds a long-term access key. */
export type KeyHolder = { type: 'user'; user: User } | { type: 'root'; root: Root };

/**
 * Everybody, to be looked up: built once from what was declared, never changed. To change who there is, build another
 * one and put it in its place.
 */
export class IdentityDirectory {
  /** `aws`, `aws-cn`, ...: what its ARNs begin with. */
  readonly partition: string;
  readonly accounts: readonly Account[];
  readonly #byKey = new Map<string, { key: AccessKey; holder: KeyHolder }>();
  readonly #users = new Map<string, User>();
  readonly #roles = new Map<string, Role>();
  readonly #roots = new Map<string, Root>();

  /** @throws Error when two have an access key id, or a name in one account. */
  constructor(partition: string, accounts: readonly Account[]) {
    this.partition = partition;
    this.accounts = accounts;
    for (const { id, root, users, roles } of accounts) {
      add(this.#roots, id, root);
      this.#addKeys({ type: 'root', root }, root.accessKeys);
      for (const role of roles) add(this.#roles, `${id}/${role.name}`, role);
      for (const user of users) {
        add(this.#users, `${id}/${user.name}`, user);
        this.#addKeys({ type: 'user', user }, user.accessKeys);
      }
    }
  }

  findKey(accessKeyId: string): { key: AccessKey; holder: KeyHolder } | undefined {
    return this.#byKey.get(accessKeyId);
  }

  findUser(account: string, name: string): User | undefined {
    return this.#users.get(`${account}/${name}`);
  }

  findRole(account: string, name: string): Role | undefined {
    return this.#roles.get(`${account}/${name}`);
  }

  findRoot(account: string): Root | undefined {
    return this.#roots.get(account);
  }

  #addKeys(holder: KeyHolder, keys: readonly AccessKey[]): void {
    for (const key of keys) add(this.#byKey, key.id, { key, holder });
  }
}

function add<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.has(key)) throw new Error(`${key} is there twice`);
  map.set(key, value);
}

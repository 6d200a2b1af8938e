import type { Platform } from '../../platform/platform.ts';
import type { Logger } from '../logger.ts';
import { ConfigError } from '../start-error.ts';
import type { AccessRules } from './access-rules.ts';
import type { RulesSource } from './rules-source.ts';
import { watchFiles } from './watch-files.ts';

export interface KeeperOptions {
  source: RulesSource;
  /** Resolves when the rules hold in every process that takes requests. */
  use(rules: AccessRules): Promise<void>;
  timers: Pick<Platform, 'now' | 'at'>;
  logger: Logger;
}

/** Brings the rules up to date while the server runs. What is wrong in a file is logged, and the earlier rules stay. */
export class AccessRulesKeeper {
  readonly #options: KeeperOptions;
  #last: Promise<void> = Promise.resolve();
  #unwatch: (() => void) | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  async watch(): Promise<void> {
    const { source, timers, logger } = this.#options;
    this.#unwatch = await watchFiles(source.paths, () => void this.reload(), { timers, logger });
  }

  /** Reads the files again, one time after the other. Never rejects. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload());
    return this.#last;
  }

  async #reload(): Promise<void> {
    const { source, use, logger } = this.#options;
    try {
      const rules = await source.read();
      await use(rules);
      logger.info(sizesOf(rules), 'identities and policies were read again, and hold from now on');
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [(error as Error).message];
      logger.error({ problems }, 'identities and policies cannot be read: the earlier ones stay');
    }
  }

  /** Resolves when none is under way any more. */
  async close(): Promise<void> {
    this.#unwatch?.();
    await this.#last;
  }
}

function sizesOf({ accounts }: AccessRules): object {
  const count = (of: 'users' | 'roles') => accounts.reduce((sum, account) => sum + account[of].length, 0);
  return { accounts: accounts.length, users: count('users'), roles: count('roles') };
}

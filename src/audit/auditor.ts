import type { Platform } from '../platform/platform.ts';
import { isManagementEvent } from './events.ts';
import { type AuditedCall, type Outcome, recordOf } from './record.ts';
import type { AuditLog } from './trail.ts';

export interface AuditorOptions {
  log: AuditLog;
  /** Whether data events are recorded, too. */
  data: boolean;
  platform: Pick<Platform, 'now' | 'uuid'>;
}

/**
 * Decides what is recorded, and when. A call that belongs into the trail is not begun while that cannot be written, and not
 * answered before its record is on the disk: nobody changes a queue unseen because a disk is full.
 */
export class Auditor {
  readonly #options: AuditorOptions;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  records(action: string): boolean {
    return this.#options.data || isManagementEvent(action);
  }

  /** @throws AuditError when the call must not begin. */
  ready(): Promise<void> {
    return this.#options.log.ready();
  }

  /** @throws AuditError when the call must not be answered as if it were recorded. */
  write(call: AuditedCall, outcome: Outcome): Promise<void> {
    const { log, platform } = this.#options;
    return log.write(recordOf(call, outcome, platform.now(), platform.uuid()));
  }
}

import { getHeapStatistics } from 'node:v8';
import type { Settings } from './config/settings.ts';

/** How much may be under way in one process. */
export interface Capacity {
  connections: number;
  requestBytes: number;
  replyBytes: number;
}

const MIB = 1024 * 1024;
/** What requests and replies may take where no setting says otherwise: that, or so much of the heap. */
const REQUEST_MEMORY_MAX_MIB = 192;
const REPLY_MEMORY_MAX_MIB = 256;
const HEAP_SHARE = 0.25;
/** Of several processes each has a share, but can take some of the largest requests at a time. */
const MEMORY_MIN_MIB = 64;

export function capacityOf(
  settings: Pick<Settings, 'maxConnections' | 'requestMemory' | 'replyMemory'>,
  processes = 1,
): Capacity {
  return {
    connections: Math.ceil(settings.maxConnections / processes),
    requestBytes: bytesOf(settings.requestMemory, REQUEST_MEMORY_MAX_MIB, processes),
    replyBytes: bytesOf(settings.replyMemory, REPLY_MEMORY_MAX_MIB, processes),
  };
}

function bytesOf(setting: number | undefined, maxMib: number, processes: number): number {
  if (setting !== undefined) return Math.max(setting / processes, Math.min(setting, MEMORY_MIN_MIB)) * MIB;
  const share = Math.max(maxMib / processes, MEMORY_MIN_MIB) * MIB;
  return Math.min(share, getHeapStatistics().heap_size_limit * HEAP_SHARE);
}

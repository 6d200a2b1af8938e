export const SCENARIO_NAMES = [
  'send',
  'receive',
  'lifecycle',
  'batch',
  'fifo',
  'wakeup',
  'mixed',
  'backlog',
  'restart',
  'idle',
  'all',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** What differs from the defaults of all, as given on the command line. */
export const DEFAULTS: Partial<Record<ScenarioName, Record<string, string>>> = {
  fifo: { groups: '1,100,10000' },
  wakeup: { connections: '1,64' },
  backlog: { connections: '16', rounds: '1', seconds: '3', depths: '1e3,1e4,1e5,1e6' },
  idle: { rounds: '1', seconds: '20' },
};

import { ConfigError } from '../start-error.ts';
import type { Layer } from './resolve.ts';
import { SCALAR_KEYS, type ScalarKey, variableOf } from './settings.ts';
import { suggestionFor } from './suggestion.ts';

const PREFIX = 'STANCHION_';
export const CONFIG_FILE_VARIABLE = 'STANCHION_CONFIG';

/**
 * Kubernetes gives each container variables about every Service beside it. For a Service that is called `stanchion`
 * they look like ours: `STANCHION_PORT=tcp://10.0.0.7:9324`, `STANCHION_SERVICE_HOST`, `STANCHION_PORT_9324_TCP_ADDR`.
 */
const SERVICE_LINK = /^STANCHION_(?:SERVICE_(?:HOST|PORT(?:_.+)?)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.+)?)$/;
const SERVICE_LINK_VALUE = /^(?:tcp|udp|sctp):\/\//;

/**
 * The settings in the environment. An empty variable counts as not set.
 *
 * @throws ConfigError when there is a STANCHION_ variable that means nothing: it may be a setting, misspelt.
 */
export function environmentLayer(env: NodeJS.ProcessEnv): Layer {
  const keys = new Map<string, ScalarKey>(SCALAR_KEYS.map((key) => [variableOf(key), key]));
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === CONFIG_FILE_VARIABLE || !value) continue;
    if (SERVICE_LINK.test(name) || SERVICE_LINK_VALUE.test(value)) continue;
    const key = keys.get(name);
    if (key !== undefined) values[key] = value;
    else problems.push(`${name} is not a setting${suggestionFor(name, [...keys.keys(), CONFIG_FILE_VARIABLE])}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { values, nameOf: (key) => variableOf(key as ScalarKey) };
}

import { configFileLayer } from './config-file.ts';
import { CONFIG_FILE_VARIABLE, environmentLayer } from './environment.ts';
import { type Layer, resolveSettings } from './resolve.ts';
import { flagOf, type ScalarKey, type Settings } from './settings.ts';

/** The flags as the parser of the command line hands them over: by key, texts and booleans. */
export type Flags = { config?: string } & { [Key in ScalarKey]?: string | boolean };

/**
 * A flag goes before an environment variable, that before the configuration file, and that before the default.
 *
 * @throws ConfigError naming all that is wrong.
 */
export async function loadSettings(flags: Flags, env: NodeJS.ProcessEnv): Promise<Settings> {
  const { config, ...values } = flags;
  const file = config ?? env[CONFIG_FILE_VARIABLE];
  const layers: Layer[] = [{ values, nameOf: (key) => flagOf(key as ScalarKey) }, environmentLayer(env)];
  if (file) layers.push(await configFileLayer(file));
  return resolveSettings(layers);
}

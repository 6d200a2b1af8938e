import { Option } from 'commander';
import { flagOf, type ScalarKey, SETTINGS, variableOf } from '../server/config/settings.ts';

export const CONFIG_HELP = 'YAML or JSON file with settings (STANCHION_CONFIG)';

/** The flags of a setting, under the same name for every command. */
export function optionsFor(key: ScalarKey): Option[] {
  const setting = SETTINGS[key];
  const fallback = setting.default === undefined ? '' : `default ${setting.default}, `;
  const help = `${setting.help} (${fallback}${variableOf(key)})`;
  if (setting.kind !== 'boolean') return [new Option(`${flagOf(key)} <${setting.placeholder}>`, help)];
  // The negative form is what overrides a variable or a file that says true.
  return [new Option(flagOf(key), help), new Option(flagOf(key).replace('--', '--no-')).hideHelp()];
}

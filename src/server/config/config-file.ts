import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { ConfigError } from '../start-error.ts';
import type { Layer } from './resolve.ts';

/**
 * Reads a configuration file: JSON when its name ends so, YAML otherwise. An empty file sets nothing.
 *
 * @throws ConfigError when it cannot be read, or is not a map of settings.
 */
export async function configFileLayer(path: string): Promise<Layer> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`cannot read the configuration file ${path}: ${reasonOf(error)}`], { cause: error });
  });
  const values = parseFile(path, text) ?? {};
  if (typeof values !== 'object' || Array.isArray(values)) {
    throw new ConfigError([`the configuration file ${path} must be a map of settings`]);
  }
  return { values: values as Record<string, unknown>, nameOf: () => path };
}

function parseFile(path: string, text: string): unknown {
  try {
    return path.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (error) {
    // The yaml package appends a drawing of the place, below the line and column that its first line names.
    const reason = String((error as Error).message)
      .split('\n', 1)[0]
      ?.replace(/:$/, '');
    throw new ConfigError([`the configuration file ${path} cannot be parsed: ${reason}`], { cause: error });
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EACCES') return 'permission denied';
  if (error.code === 'EISDIR') return 'it is a directory';
  return error.message;
}

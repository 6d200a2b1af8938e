import type { z } from 'zod';
import { ConfigError } from '../start-error.ts';
import { keysKnownAt, type QueueDeclarations, queueDeclarationsSchema } from './queue-declarations.ts';
import { checkRateLimits } from './rate-limit-settings.ts';
import { SCALAR_KEYS, type ScalarKey, SETTINGS, type Settings } from './settings.ts';
import { suggestionFor } from './suggestion.ts';

/** Settings from one source: the command line, the environment, the file, or the options of a library call. */
export interface Layer {
  /** By setting; undefined counts as not given. Flags and variables give texts, a file gives typed values. */
  values: Readonly<Record<string, unknown>>;
  /** How people find the place: `--port`, `STANCHION_PORT`, `stanchion.yaml`. */
  nameOf(key: string): string;
}

/**
 * Merges the layers, the first one that gives a setting deciding about it, over the defaults. Every value given is
 * checked, also one that an earlier layer overrides: a mistake should not come to light only when a flag goes away.
 *
 * @throws ConfigError naming every value that is wrong, what is wrong with it, and where it came from.
 */
export function resolveSettings(layers: readonly Layer[]): Settings {
  const problems: string[] = [];
  const settings: Record<string, unknown> = { queues: {}, rateLimits: {} };
  for (const key of SCALAR_KEYS) settings[key] = SETTINGS[key].default;
  // Weakest first, so that the stronger ones overwrite.
  for (const layer of layers.toReversed()) {
    for (const [key, value] of Object.entries(layer.values)) {
      if (value === undefined) continue;
      const outcome = check(key, value);
      if ('problems' in outcome) problems.push(...outcome.problems.map((text) => `${text} (${layer.nameOf(key)})`));
      else settings[key] = outcome.value;
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return settings as unknown as Settings;
}

type Outcome = { value: unknown } | { problems: string[] };

function check(key: string, value: unknown): Outcome {
  if (key === 'queues') return checkQueues(value);
  if (key === 'rateLimits') return checkRateLimits(value);
  if (!isScalarKey(key))
    return { problems: [`${key} is not a setting${suggestionFor(key, [...SCALAR_KEYS, 'queues', 'rateLimits'])}`] };
  const { schema, kind } = SETTINGS[key];
  const parsed = schema.safeParse(typeof value === 'string' ? typed(value, kind) : value);
  if (parsed.success) return { value: parsed.data };
  return { problems: [`${key} ${parsed.error.issues[0]?.message}, not ${shown(value)}`] };
}

function isScalarKey(key: string): key is ScalarKey {
  return Object.hasOwn(SETTINGS, key);
}

/** The value a text stands for; a text that stands for none is left as it is, for the schema to refuse. */
function typed(text: string, kind: 'text' | 'number' | 'boolean'): unknown {
  if (kind === 'number' && /^-?\d+$/.test(text)) return Number(text);
  if (kind === 'boolean' && /^(?:true|1)$/i.test(text)) return true;
  if (kind === 'boolean' && /^(?:false|0)$/i.test(text)) return false;
  return text;
}

function checkQueues(value: unknown): { value: QueueDeclarations } | { problems: string[] } {
  const parsed = queueDeclarationsSchema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  return { problems: parsed.error.issues.flatMap(queueProblems) };
}

function queueProblems(issue: z.core.$ZodIssue): string[] {
  const place = ['queues', ...issue.path].join('.');
  if (issue.code !== 'unrecognized_keys') return [`${place} ${issue.message}`];
  return issue.keys.map((key) => `${place}.${key} is not a setting${suggestionFor(key, keysKnownAt(issue.path))}`);
}

/** A value in a message: enough of it to recognise, without the user and password a URL may carry. */
function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@]*@/, '//...@');
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

import type { Random } from '../../sim/random.ts';
import { largeText, strangeText, strangeValue } from './strange.ts';

/** Bends what was valid, in one place at a time. */

type Container = Record<string | number, unknown>;

const COPIES_LENGTH_MAX = 3_000_000;

const WAYS = {
  replace: 30,
  delete: 15,
  repeat: 10,
  rename: 15,
  wrap: 10,
  stringify: 5,
  swap: 10,
  enlarge: 2,
  multiply: 2,
} as const;

/** Of AWS JSON: the input is a tree, and any node of it can be bent. */
export function bendTree(tree: object, random: Random): void {
  const nodes = nodesOf(tree);
  if (nodes.length === 0) return;
  const { parent, key } = random.pick(nodes);
  const current = parent[key];
  switch (random.weighted(WAYS)) {
    case 'replace':
      parent[key] = strangeValue(random);
      break;
    case 'delete':
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      break;
    case 'repeat':
      if (Array.isArray(parent))
        parent.push(...Array.from({ length: copiesOf(current, 12) }, () => structuredClone(current)));
      else addMember(parent, strangeText(random), structuredClone(current));
      break;
    case 'rename':
      if (Array.isArray(parent)) break;
      delete parent[key];
      addMember(parent, strangeText(random), current);
      break;
    case 'wrap':
      parent[key] = random.chance(500) ? [current] : Object.fromEntries([[strangeText(random), current]]);
      break;
    case 'stringify':
      parent[key] = JSON.stringify(current);
      break;
    case 'swap': {
      // A copy, for the one may be inside the other.
      const other = random.pick(nodes);
      parent[key] = structuredClone(other.parent[other.key]);
      break;
    }
    case 'enlarge':
      parent[key] = largeText(random);
      break;
    case 'multiply':
      parent[key] = Array.from({ length: copiesOf(current, random.pick([11, 1000, 20_000])) }, () =>
        structuredClone(current),
      );
      break;
  }
}

/** As many as asked for, unless a bend before has made it large: together not more than the largest body that is read. */
function copiesOf(value: unknown, count: number): number {
  return Math.min(count, Math.floor(COPIES_LENGTH_MAX / (JSON.stringify(value)?.length ?? 1)));
}

function nodesOf(tree: unknown): { parent: Container; key: string | number }[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const parent = tree as Container;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...nodesOf(parent[key])]);
}

/** A name like __proto__ has to become a member like any other. */
function addMember(parent: Container, name: string, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Of AWS Query: a list of parameters, in which names and values can be bent. */
export function bendParameters(parameters: [string, string][], random: Random): void {
  if (parameters.length === 0) return;
  const index = random.below(parameters.length);
  const [name, value] = parameters[index]!;
  switch (random.weighted(WAYS)) {
    case 'replace':
    case 'stringify':
      parameters[index] = [name, strangeText(random)];
      break;
    case 'delete':
      parameters.splice(index, 1);
      break;
    case 'repeat':
      parameters.push([name.replace(/\d+/, String(random.below(1000))), value]);
      break;
    case 'rename':
      parameters[index] = [random.chance(500) ? strangeText(random) : `${name}.${strangeText(random)}`, value];
      break;
    case 'wrap':
      parameters[index] = [name.replace(/\.(\d+)/, random.chance(500) ? '' : `.${strangeText(random)}`), value];
      break;
    case 'swap':
      parameters[index] = [name, random.pick(parameters)[1]];
      break;
    case 'enlarge':
      parameters[index] = [name, largeText(random)];
      break;
    case 'multiply':
      for (let more = copiesOf(value, random.pick([11, 1000, 12_000])); more > 0; more--)
        parameters.push([`${name}.${more}`, value]);
      break;
  }
}

/** Puts bytes over others, or between them. */
export function scratch(body: Buffer, random: Random): Buffer {
  const start = random.below(body.length + 1);
  const put = random.bytes(random.below(4));
  return Buffer.concat([body.subarray(0, start), put, body.subarray(start + random.below(4))]);
}

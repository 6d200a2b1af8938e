import type { Random } from '../../sim/random.ts';
import { ACTIONS, type ActionName } from '../../src/protocol/model/shapes.ts';
import { encode } from '../../test/support/query-client.ts';
import { toJson, validInputs } from '../../test/support/valid-inputs.ts';
import { bendParameters, bendTree, scratch } from './bend.ts';

/** A request as the API sees it, before HTTP is wrapped around it. */
export interface CallToMake {
  action: ActionName;
  protocol: 'AWS JSON' | 'AWS Query';
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];
const ACCOUNT = '000000000000';

/** A call of any action on `queue`, bent in a few places or, now and then, as it should be. */
export function anyCall(queue: string, random: Random): CallToMake {
  const action = random.pick(ACTION_NAMES);
  const arn = `arn:aws:sqs:us-east-1:${ACCOUNT}:${queue}`;
  const input = validInputs({ url: `http://localhost/${ACCOUNT}/${queue}`, arn, newName: queue })[action];
  const bends = random.weighted({ none: 20, one: 50, some: 30 });
  const count = bends === 'none' ? 0 : bends === 'one' ? 1 : random.between(2, 5);
  const target = random.chance(850)
    ? '/'
    : random.pick([`/${ACCOUNT}/${queue}`, '//', '/x/y?z', '/%', '/?&=&', `/${queue}`]);
  return random.chance(500)
    ? jsonCall(action, input, count, target, random)
    : queryCall(action, input, count, target, random);
}

function jsonCall(action: ActionName, input: object, bends: number, target: string, random: Random): CallToMake {
  const tree = JSON.parse(toJson(input));
  for (let bend = 0; bend < bends; bend++) bendTree(tree, random);
  return {
    action,
    protocol: 'AWS JSON',
    method: 'POST',
    target,
    headers: [
      ['Content-Type', 'application/x-amz-json-1.0'],
      ['X-Amz-Target', `AmazonSQS.${action}`],
    ],
    body: scratched(Buffer.from(JSON.stringify(tree)), random),
  };
}

function queryCall(action: ActionName, input: object, bends: number, target: string, random: Random): CallToMake {
  const parameters = encode(action, input);
  for (let bend = 0; bend < bends; bend++) bendParameters(parameters, random);
  const pairs = [...parameters, ['Action', action]].map(([name, value]) => `${escapeForm(name)}=${escapeForm(value)}`);
  const form = scratched(Buffer.from(pairs.join('&')), random);
  // The rest would not fit into a request line.
  const isGet = random.chance(250) && form.length < 8_000;
  const call = { action, protocol: 'AWS Query' as const };
  if (isGet) {
    const query = form.toString('latin1').replaceAll(/[^\x21-\x7e]/g, '');
    return {
      ...call,
      method: 'GET',
      target: `${target}${target.includes('?') ? '&' : '?'}${query}`,
      headers: [],
      body: Buffer.alloc(0),
    };
  }
  const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
  return { ...call, method: 'POST', target, headers, body: form };
}

/** URLSearchParams takes seconds for the largest texts, in which the bystander would look slow. */
function escapeForm(text = ''): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

function scratched(body: Buffer, random: Random): Buffer {
  let result = body;
  for (let marks = random.chance(150) ? random.between(1, 3) : 0; marks > 0; marks--) result = scratch(result, random);
  return result;
}

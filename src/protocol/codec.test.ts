import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecFor, type WireRequest } from './codec.ts';
import { SqsError } from './model/errors.ts';
import type { Shape, StructureShape } from './model/shape.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';

const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];

function request(parts: Partial<WireRequest>): WireRequest {
  return { method: 'POST', path: '/', query: '', headers: {}, body: Buffer.alloc(0), ...parts };
}

function jsonRequest(action: string, body: string | Uint8Array): WireRequest {
  return request({
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: Buffer.from(body as string),
  });
}

function formRequest(body: string | Uint8Array, query = ''): WireRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return request({ headers, query, body: Buffer.from(body as string) });
}

describe('the protocol', () => {
  it.each<[string, Partial<WireRequest>]>([
    ['its content type', { headers: { 'content-type': 'application/x-amz-json-1.0' } }],
    ['its content type with a parameter', { headers: { 'content-type': 'Application/X-Amz-Json-1.0; charset=utf-8' } }],
    ['the target header', { headers: { 'x-amz-target': 'AmazonSQS.ListQueues' } }],
    [
      'the target header in spite of another content type',
      { headers: { 'x-amz-target': 'AmazonSQS.ListQueues', 'content-type': 'text/plain' } },
    ],
  ])('is AWS JSON because of %s', (_, parts) => {
    expect(codecFor(request(parts)).protocol).toBe('awsJson1_0');
  });

  it.each<[string, Partial<WireRequest>]>([
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['a URL with an action', { method: 'GET', query: 'Action=ListQueues' }],
    ['a URL without', { method: 'GET' }],
    ['ordinary JSON', { headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }],
    ['nothing at all', {}],
  ])('is AWS Query for %s', (_, parts) => {
    expect(codecFor(request(parts)).protocol).toBe('awsQuery');
  });
});

describe('what one side writes the other reads', () => {
  const calls = fc.constantFrom(...ACTION_NAMES).chain((action) =>
    inputs(ACTIONS[action].input).map((input) => {
      // The two share one parameter in AWS Query, so there they cannot differ.
      if (action === 'ReceiveMessage') input.MessageSystemAttributeNames = input.AttributeNames;
      return { action, input };
    }),
  );

  it('in AWS JSON', () => {
    fc.assert(
      fc.property(calls, ({ action, input }) => {
        const body = JSON.stringify(input, (_, value) => (isBuffer(value) ? bytesOf(value).toString('base64') : value));
        const wire = jsonRequest(action, body);
        expect(codecFor(wire).decode(wire)).toEqual({ action, input });
      }),
      { numRuns: 500 },
    );
  });

  it('in AWS Query, in the body or in the URL', () => {
    fc.assert(
      fc.property(calls, fc.boolean(), ({ action, input }, inUrl) => {
        const form = new URLSearchParams({ Action: action });
        writeForm(form, '', ACTIONS[action].input, input);
        const wire = inUrl
          ? request({ method: 'GET', query: form.toString() })
          : formRequest(form.toString(), 'Version=2012-11-05');
        expect(codecFor(wire).decode(wire)).toEqual({ action, input });
      }),
      { numRuns: 500 },
    );
  });
});

describe('bad input', () => {
  /** Decodes; whatever is wrong must be an SqsError, and one that can be answered. */
  function survive(wire: WireRequest): void {
    const codec = codecFor(wire);
    try {
      codec.decode(wire);
    } catch (error) {
      expect(error).toBeInstanceOf(SqsError);
      const reply = codec.encodeError(error as SqsError, 'r');
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      expect(reply.body).not.toBe('');
      if (reply.headers['Content-Type']?.includes('json')) JSON.parse(String(reply.body));
    }
  }

  const actions = fc.oneof(fc.constantFrom<string>(...ACTION_NAMES), fc.string());
  const bytes = fc.uint8Array({ maxLength: 200 });

  it('of any bytes is refused and never crashes', () => {
    const headers = fc.record(
      {
        'content-type': fc.oneof(fc.constantFrom('application/x-amz-json-1.0', 'text/plain'), fc.string()),
        'x-amz-target': actions.map((action) => `AmazonSQS.${action}`),
        accept: fc.oneof(fc.constant('application/json'), fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), headers, bytes, (method, query, header, body) => {
        survive(request({ method, query, headers: header, body: Buffer.from(body) }));
      }),
      { numRuns: 1000 },
    );
  });

  it('of any JSON under any known name is refused and never crashes', () => {
    const names = new Set(['__proto__', 'constructor']);
    for (const { input } of Object.values(ACTIONS)) collectNames(input, names);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, '', 'text', '5', 'AA==', '\ud800'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(actions, value, (action, input) => survive(jsonRequest(action, JSON.stringify(input)))),
      { numRuns: 2000 },
    );
  });

  it('of any parameters is refused and never crashes', () => {
    const names = new Set(['Name', 'Key', 'Value', 'member', '__proto__', '1', '2', '010', '-1', '', 'x']);
    for (const { input } of Object.values(ACTIONS)) collectNames(input, names);
    const tokens = fc.constantFrom(...names, '%', '%2', '%41', '%ff', '+', '=', '&', '.', 'ü', '5', 'AA==');
    const name = fc.array(tokens, { maxLength: 8 }).map((parts) => parts.join('.'));
    const pairs = fc.array(fc.tuple(name, fc.array(tokens, { maxLength: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(actions, pairs, fc.boolean(), (action, list, inUrl) => {
        const form = list.map(([key, value]) => `${key}=${value.join('')}`).join('&');
        const whole = `Action=${encodeURIComponent(action)}&${form}`;
        survive(inUrl ? request({ method: 'GET', query: whole }) : formRequest(whole));
      }),
      { numRuns: 2000 },
    );
  });
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'a+b', '%41', '1', ''));

function values(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return text;
    case 'integer':
      return fc.integer();
    case 'blob':
      return fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes));
    case 'list':
      return fc.array(values(shape.member), { maxLength: 12 });
    case 'map':
      return fc.dictionary(text, values(shape.value), { maxKeys: 12 });
    case 'structure':
      return inputs(shape);
    default:
      throw new Error(`no input has a ${shape.type}`);
  }
}

function inputs(shape: StructureShape): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(shape.members).map(([name, member]) => [name, values(member.shape)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [], noNullPrototype: true });
}

function collectNames(shape: Shape, names: Set<string>): void {
  if (shape.type === 'list') collectNames(shape.member, names);
  if (shape.type === 'map') collectNames(shape.value, names);
  if (shape.type !== 'structure') return;
  for (const [name, member] of Object.entries(shape.members)) {
    names.add(name).add(member.queryName);
    collectNames(member.shape, names);
  }
}

/** What a client of AWS Query does. */
function writeForm(form: URLSearchParams, prefix: string, shape: Shape, value: unknown): void {
  switch (shape.type) {
    case 'structure':
      for (const [name, member] of Object.entries(shape.members)) {
        const item = (value as Record<string, unknown>)[name];
        const memberPrefix = prefix === '' ? member.queryName : `${prefix}.${member.queryName}`;
        if (item !== undefined) writeForm(form, memberPrefix, member.shape, item);
      }
      // Without any parameter an item of a list would not be there at all.
      if (Object.keys(value as object).length === 0) form.append(`${prefix}.`, '');
      break;
    case 'list': {
      const list = value as unknown[];
      if (list.length === 0) form.append(prefix, '');
      for (const [index, item] of list.entries()) writeForm(form, `${prefix}.${index + 1}`, shape.member, item);
      break;
    }
    case 'map': {
      const entries = Object.entries(value as object);
      if (entries.length === 0) form.append(prefix, '');
      for (const [index, [key, item]] of entries.entries()) {
        form.append(`${prefix}.${index + 1}.${shape.queryKey}`, key);
        writeForm(form, `${prefix}.${index + 1}.Value`, shape.value, item);
      }
      break;
    }
    case 'blob':
      form.append(prefix, (value as Buffer).toString('base64'));
      break;
    default:
      form.append(prefix, String(value));
  }
}

/** JSON.stringify shows its replacer a Buffer after Buffer's own toJSON. */
function isBuffer(value: unknown): value is { data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value;
}

function bytesOf({ data }: { data: number[] }): Buffer {
  return Buffer.from(data);
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policy variables look like placeholders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../src/auth/policy/compile-policy.ts';
import {
  type ApplicablePolicies,
  type Decision,
  evaluate,
  POLICY_TYPES,
  type PolicyType,
} from '../../src/auth/policy/evaluate.ts';
import { denialMessage, explain } from '../../src/auth/policy/explain.ts';
import type { PolicyKind } from '../../src/auth/policy/policy.ts';
import { PolicyError } from '../../src/auth/policy/policy-error.ts';
import { contextOf, type Documents, policiesOf } from '../../src/auth/policy/testing/documents.ts';
import { documents, identityStatement, request, resourceStatement } from './arbitraries.ts';
import { applies, type NaiveRequest, type NaiveStatement } from './naive.ts';

const RUNS = { numRuns: 1500 };
const deny = fc.constant('Deny');
type NaiveDocuments = { [Type in PolicyType]?: NaiveStatement[] };

function judge(asked: NaiveRequest, policies: Documents): Decision {
  return evaluate({ ...asked, context: contextOf(asked.context) }, policiesOf(policies));
}

function boundedBy(policies: NaiveDocuments, asked: NaiveRequest): NaiveRequest {
  return { ...asked, bounded: policies.boundary !== undefined };
}

describe('evaluate', () => {
  it('agrees with the naive matcher on what denies, and never allows what is denied explicitly', () => {
    const seen = { denied: 0, allowed: 0 };
    fc.assert(
      fc.property(request, documents, (asked, policies: NaiveDocuments) => {
        const denying = POLICY_TYPES.filter((type) =>
          policies[type]?.some(
            (statement) => statement.Effect === 'Deny' && applies(statement, boundedBy(policies, asked)),
          ),
        );
        const decision = judge(asked, policies);
        expect(decision.outcome === 'explicit-deny').toBe(denying.length > 0);
        if (denying.length > 0) {
          expect(decision.decidedBy).toBe(denying[0]);
          seen.denied++;
        }
        if (decision.outcome === 'allow') seen.allowed++;
      }),
      RUNS,
    );
    // The property says nothing unless both happen.
    expect(seen.denied).toBeGreaterThan(50);
    expect(seen.allowed).toBeGreaterThan(50);
  });

  it('agrees with the naive matcher on what each type allows', () => {
    fc.assert(
      fc.property(request, documents, (asked, policies: NaiveDocuments) => {
        const { verdicts } = judge(asked, policies);
        for (const type of POLICY_TYPES) {
          const { outcome } = verdicts[type];
          if (outcome === 'explicit-deny') continue;
          const allowing =
            policies[type]?.some((one) => one.Effect === 'Allow' && applies(one, boundedBy(policies, asked))) ?? false;
          expect(outcome === 'allow').toBe(allowing);
        }
      }),
      RUNS,
    );
  });

  it('allows nobody but the owner what no policy allows', () => {
    fc.assert(
      fc.property(request, documents, (asked, policies: NaiveDocuments) => {
        const { outcome, decidedBy } = judge(asked, policies);
        if (outcome !== 'allow' || decidedBy === 'ownership') return;
        const granting = [...(policies.identity ?? []), ...(policies.queue ?? [])];
        expect(granting.some((one) => one.Effect === 'Allow' && applies(one, boundedBy(policies, asked)))).toBe(true);
      }),
      RUNS,
    );
  });

  it('never turns a no into a yes for one more Deny, wherever it is added', () => {
    const more = fc.oneof(
      fc.tuple(fc.constantFrom<PolicyType>('identity', 'boundary', 'session'), identityStatement(deny)),
      fc.tuple(fc.constantFrom<PolicyType>('queue', 'endpoint'), resourceStatement(deny)),
    );
    fc.assert(
      fc.property(request, documents, more, fc.boolean(), (asked, policies: NaiveDocuments, [type, added], first) => {
        const before = policies[type] ?? [];
        const after = judge(asked, { ...policies, [type]: first ? [added, ...before] : [...before, added] });
        if (judge(asked, policies).outcome !== 'allow') expect(after.outcome).not.toBe('allow');
        if (applies(added, boundedBy({ ...policies, [type]: [added] }, asked)))
          expect(after.outcome).toBe('explicit-deny');
      }),
      RUNS,
    );
  });

  it('says of every decision why', () => {
    fc.assert(
      fc.property(request, documents, (asked, policies) => {
        const decision = judge(asked, policies);
        expect(explain(decision)).toMatch(decision.outcome === 'allow' ? /^allowed/ : /^denied/);
        expect(denialMessage({ ...asked, context: contextOf() }, decision)).toMatch(/^User: \S+ is not authorized/);
        const needsStatement = decision.outcome !== 'implicit-deny' && decision.decidedBy !== 'ownership';
        expect(decision.statement !== undefined).toBe(needsStatement);
      }),
      RUNS,
    );
  });
});

const kind = fc.constantFrom<PolicyKind>('identity', 'queue', 'endpoint');

/** The policy, or undefined for a text that is none. Whatever else is thrown comes through. */
function compileOrRefuse<Kind extends PolicyKind>(text: string, of: Kind) {
  try {
    return compilePolicy(text, of);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

/** What may stand anywhere, and is nearly always wrong there. */
const anything = fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('arn:', 'sqs:*', '*', [], {}));
const elements = ['Sid', 'Effect', 'Principal', 'NotPrincipal', 'Action', 'Resource', 'Condition', '__proto__'];
const operators = ['StringLike', 'NumericEquals', 'IpAddress', 'DateEquals', 'Null', 'ArnLike', 'Bool', '__proto__'];
const strangeCondition = fc.dictionary(
  fc.constantFrom(...operators),
  fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.ipV6(), fc.integer(), anything), { maxKeys: 2 }),
  { maxKeys: 2 },
);

/** Good statements, of which some have one element replaced by something else. */
function bent(of: PolicyKind) {
  const good = of === 'identity' ? identityStatement() : resourceStatement();
  const change = fc.oneof(
    fc.constant({}),
    fc.tuple(fc.constantFrom(...elements), anything).map(([name, value]) => ({ [name]: value })),
    strangeCondition.map((Condition) => ({ Condition })),
  );
  const statement = fc.tuple(good, change).map(([whole, changed]) => ({ ...whole, ...changed }));
  return fc.record({
    Version: fc.constantFrom('2012-10-17', '2008-10-17'),
    Statement: fc.array(statement, { maxLength: 2 }),
  });
}

describe('compilePolicy', () => {
  it('throws nothing but its own error for any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.string().map((s) => `{"Statement":${s}}`),
    );
    fc.assert(
      fc.property(text, kind, (any, of) => {
        compileOrRefuse(any, of);
      }),
      RUNS,
    );
  });

  it.each(['identity', 'queue', 'endpoint'] as const)(
    'throws nothing but its own error for any value in a policy of kind %s, and what it takes can be evaluated',
    (of) => {
      const seen = { taken: 0, refused: 0 };
      fc.assert(
        fc.property(bent(of), request, (document, asked) => {
          const policy = compileOrRefuse(JSON.stringify(document), of);
          if (policy === undefined) {
            seen.refused++;
            return;
          }
          seen.taken++;
          const attached = { name: 'any', policy };
          const policies = of === 'identity' ? { identity: [attached], boundary: attached } : { [of]: attached };
          const context = contextOf(asked.context);
          const decision = evaluate({ ...asked, context }, policies as ApplicablePolicies);
          expect(decision.verdicts[of].outcome).not.toBe('absent');
        }),
        { numRuns: 500 },
      );
      expect(seen.taken).toBeGreaterThan(20);
      expect(seen.refused).toBeGreaterThan(20);
    },
  );

  it('has any text for a variable, a pattern or a value without throwing', () => {
    const piece = fc.constantFrom('${', '}', 'aws:username', ", '", "'", '*', '?', ':', '$', 'arn:', 'a', '${*}', '😀');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, request, (pattern, actual, asked) => {
        const statement = {
          Effect: 'Allow',
          Action: '*',
          Resource: `arn:aws:sqs:*:*:${pattern}`,
          Condition: { StringLike: { 'test:x': pattern }, ArnLike: { 'test:x': pattern } },
        };
        const policy = compileOrRefuse(JSON.stringify({ Version: '2012-10-17', Statement: statement }), 'identity');
        if (policy === undefined) return;
        const context = contextOf({ 'test:x': actual, 'aws:username': actual });
        const decision = evaluate({ ...asked, context }, { identity: [{ name: 'any', policy }] });
        expect(decision.verdicts.identity.outcome).toMatch(/^(allow|implicit-deny)$/);
      }),
      RUNS,
    );
  });
});

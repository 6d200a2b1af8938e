import { readFile } from 'node:fs/promises';
import { accessOf, type CallerAccess } from '../../auth/access/caller-policies.ts';
import { roleCaller, rootCaller, userCaller } from '../../auth/identity/caller.ts';
import { IdentityDirectory } from '../../auth/identity/directory.ts';
import { compilePolicy } from '../../auth/policy/compile-policy.ts';
import { type AttachedPolicy, evaluate, POLICY_TYPES, type Verdict } from '../../auth/policy/evaluate.ts';
import { explain } from '../../auth/policy/explain.ts';
import { PolicyError } from '../../auth/policy/policy-error.ts';
import { requestContext } from '../../auth/policy/request-context.ts';
import { SQS_ACTIONS } from '../../auth/policy/sqs-actions.ts';
import type { Platform } from '../../platform/platform.ts';
import { realPlatform } from '../../platform/real.ts';
import { queueArn } from '../../queue/record.ts';
import type { Settings } from '../config/settings.ts';
import { ConfigError, StartError } from '../start-error.ts';
import type { AccessRules } from './access-rules.ts';
import { RulesSource } from './rules-source.ts';

/** A request that somebody might make. */
export interface AccessQuestion {
  /** `alice`, `role/worker`, `root`, `anonymous`; of another account `111122223333:alice`. */
  as: string;
  /** `SendMessage` or `sqs:SendMessage`. */
  action: string;
  /** A name; of another account `111122223333:orders`. */
  queue: string;
  /** A file with the Policy attribute of the queue. */
  queuePolicy?: string;
  /** Tags of the queue. */
  tags: Readonly<Record<string, string>>;
  sourceIp?: string;
  isSecure: boolean;
}

export interface AccessAnswer {
  isAllowed: boolean;
  lines: string[];
}

const ROLE_PREFIX = 'role/';
/** No policy depends on the name of a session but by `aws:userid`. */
const SESSION = { name: 'explain', tags: {}, transitiveTagKeys: [], issuedAt: 0, expiresAt: 0 };

/**
 * What a server with these files would decide, and by which statement.
 *
 * @throws StartError when a file cannot be used, or nobody is called so.
 */
export async function explainAccess(
  question: AccessQuestion,
  settings: Settings,
  platform: Platform = realPlatform(),
): Promise<AccessAnswer> {
  const rules = await (await RulesSource.open(settings, platform)).read();
  const { principal, policies } = callerOf(question.as, settings.account, rules);
  const { account, name } = inAccount(question.queue, settings.account);
  const { region } = settings;
  const action = question.action.includes(':') ? question.action : `sqs:${question.action}`;
  requireAction(action);
  const resource = queueArn({ scope: { account, region }, name });
  const context = requestContext({
    principal,
    now: platform.now(),
    region,
    secure: question.isSecure,
    sourceIp: question.sourceIp,
    resourceAccount: account,
    resourceTags: question.tags,
  });
  const { endpointPolicy } = rules;
  const endpoint: AttachedPolicy<'endpoint'> | undefined =
    endpointPolicy === undefined
      ? undefined
      : { name: 'endpoint policy', policy: compilePolicy(endpointPolicy, 'endpoint') };
  const queue = question.queuePolicy === undefined ? undefined : await queuePolicyIn(question.queuePolicy);
  const decision = evaluate({ principal, action, resource, context }, { ...policies, queue, endpoint });
  return {
    isAllowed: decision.outcome === 'allow',
    lines: [
      `${action} on ${resource}`,
      explain(decision),
      ...POLICY_TYPES.map((type) => `  ${type}: ${verdictText(decision.verdicts[type])}`),
    ],
  };
}

function callerOf(as: string, defaultAccount: string, { partition, accounts }: AccessRules): CallerAccess {
  if (as === 'anonymous') return { principal: { type: 'anonymous' }, policies: {} };
  const directory = new IdentityDirectory(partition, accounts);
  const { account, name } = inAccount(as, defaultAccount);
  const nobody = () => new StartError(`there is no ${name} in account ${account}`);
  if (name === 'root') {
    const root = directory.findRoot(account);
    if (root === undefined) throw nobody();
    return accessOf(rootCaller(root, ''));
  }
  if (name.startsWith(ROLE_PREFIX)) {
    const role = directory.findRole(account, name.slice(ROLE_PREFIX.length));
    if (role === undefined) throw nobody();
    return accessOf(roleCaller(role, SESSION, partition, ''));
  }
  const user = directory.findUser(account, name);
  if (user === undefined) throw nobody();
  return accessOf(userCaller(user, ''));
}

function inAccount(text: string, defaultAccount: string): { account: string; name: string } {
  const [, account = defaultAccount, name = text] = /^(\d{12}):(.*)$/.exec(text) ?? [];
  return { account, name };
}

function requireAction(action: string): void {
  const wanted = action.toLowerCase();
  const known = Object.values(SQS_ACTIONS).flatMap(({ permissions }) =>
    permissions.map((permission) => permission.action),
  );
  if (known.some((name) => name.toLowerCase() === wanted)) return;
  const [, name = ''] = action.split(':');
  const batch = SQS_ACTIONS[name as keyof typeof SQS_ACTIONS];
  const hint = batch === undefined ? '' : `; ${name} needs ${batch.permissions[0].action}`;
  throw new StartError(`${action} is no action that policies know${hint}`);
}

async function queuePolicyIn(path: string): Promise<AttachedPolicy<'queue'>> {
  try {
    return { name: 'queue policy', policy: compilePolicy(await readFile(path, 'utf8'), 'queue') };
  } catch (error) {
    const problem = error instanceof PolicyError ? 'is no policy' : 'cannot be read';
    throw new ConfigError([`the queue policy ${path} ${problem}: ${(error as Error).message}`], { cause: error });
  }
}

function verdictText({ outcome, statement }: Verdict): string {
  if (outcome === 'absent') return 'there is none';
  if (statement === undefined) return 'no statement applies';
  const { policy, sid, index } = statement;
  const which = `statement ${sid === undefined ? index : `"${sid}"`} of "${policy}"`;
  return `${outcome === 'allow' ? 'allowed' : 'denied'} by ${which}`;
}

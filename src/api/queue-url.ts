import type { QueueRecord, Scope } from '../queue/record.ts';
import { isAccountId } from './account.ts';
import type { ActionContext } from './action.ts';

/** The queue a request means, whether it exists or not. */
export interface QueueReference {
  scope: Scope;
  name: string;
}

/**
 * What a queue URL, the path of one or a bare name refers to. Scheme and host say nothing: a queue is the same under
 * every name of its server. The segment before the name is its account if it looks like one, else the queue is the
 * caller's own; the region is always the one of the request (SQS: section 1.1).
 */
export function parseQueueUrl(url: string, scope: Scope): QueueReference | undefined {
  const path = pathOf(url);
  const nameAt = path.lastIndexOf('/') + 1;
  const name = path.slice(nameAt);
  if (name === '') return undefined;

  const account = path.slice(path.lastIndexOf('/', nameAt - 2) + 1, nameAt - 1);
  return { scope: nameAt > 0 && isAccountId(account) ? { account, region: scope.region } : scope, name };
}

/**
 * The queue that a request is about: the QueueUrl parameter, or without one the path the request was sent to.
 * Undefined when neither names a queue.
 */
export function queueReferenceOf(
  queueUrl: string | undefined,
  context: Pick<ActionContext, 'scope' | 'path'>,
): QueueReference | undefined {
  return parseQueueUrl(queueUrl === undefined || queueUrl === '' ? context.path : queueUrl, context.scope);
}

/**
 * Whether a path is that of a queue, where actions on the account are refused. A path without an account is none: it
 * may as well be the prefix of a proxy in front of this server.
 */
export function isQueuePath(path: string): boolean {
  return /^\/\d{12}\/[^/]+\/?$/.test(path);
}

export function queueUrlOf(queue: QueueRecord, context: Pick<ActionContext, 'baseUrl'>): string {
  return `${context.baseUrl}/${queue.scope.account}/${queue.name}`;
}

/** Without scheme, authority and final slashes. */
function pathOf(url: string): string {
  const scheme = url.indexOf('://');
  let start = 0;
  if (scheme !== -1) {
    start = url.indexOf('/', scheme + 3);
    if (start === -1) return '';
  }
  let end = url.length;
  while (end > start && url[end - 1] === '/') end -= 1;
  return url.slice(start, end);
}

import { invalidParameter } from '../protocol/model/errors.ts';
import type { QueueRecord } from '../queue/record.ts';
import { LIST_RESULTS_MAX, TOKEN_LENGTH_MAX } from './limits.ts';
import { isQueueName } from './queue-name.ts';

export interface PageRequest {
  MaxResults?: number;
  NextToken?: string;
}

export interface QueuePage {
  queues: QueueRecord[];
  nextToken?: string;
}

/**
 * One page of a listing of queues by name (SQS: section 2.3). A token holds the name of the last queue of its page, so
 * that queues may come and go between pages, and `identity`: what else the request says, which must not change.
 * MaxResults is not part of it, since a smaller or larger next page is well defined.
 *
 * @throws SqsError InvalidParameterValue
 */
export async function listPage(
  request: PageRequest,
  identity: readonly string[],
  fetch: (query: { after?: string; limit: number }) => Promise<QueueRecord[]>,
): Promise<QueuePage> {
  const { MaxResults: maxResults, NextToken: token } = request;
  if (maxResults !== undefined && (maxResults < 1 || maxResults > LIST_RESULTS_MAX)) {
    throw invalidParameter(
      `Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and ${LIST_RESULTS_MAX}.`,
    );
  }
  const after = token === undefined ? undefined : readToken(token, identity);
  // Without MaxResults there is one page and never a token.
  if (maxResults === undefined) return { queues: await fetch({ after, limit: LIST_RESULTS_MAX }) };

  const queues = await fetch({ after, limit: maxResults + 1 });
  if (queues.length <= maxResults) return { queues };
  const page = queues.slice(0, maxResults);
  const last = page.at(-1);
  return { queues: page, nextToken: last && writeToken(last.name, identity) };
}

function writeToken(after: string, identity: readonly string[]): string {
  return Buffer.from(JSON.stringify([after, ...identity])).toString('base64url');
}

function readToken(token: string, identity: readonly string[]): string {
  let content: unknown;
  try {
    content = token.length > TOKEN_LENGTH_MAX ? undefined : JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    content = undefined;
  }
  if (!Array.isArray(content) || typeof content[0] !== 'string' || !isQueueName(content[0])) {
    throw invalidParameter('Invalid or expired next token.');
  }
  const [after, ...rest] = content;
  if (rest.length !== identity.length || rest.some((part, index) => part !== identity[index])) {
    throw invalidParameter(
      'Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.',
    );
  }
  return after;
}

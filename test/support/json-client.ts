import { ANY_AUTHORIZATION } from './query-client.ts';

export interface JsonReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every action
  body: any;
}

export interface JsonOptions {
  /** Of the URL: `/` or that of a queue. */
  path?: string;
  headers?: Record<string, string>;
}

/** One request of AWS JSON 1.0 and the reply as it came: for what the SDK would not send, or hides. */
export async function postJson(
  url: string,
  action: string,
  input: unknown,
  { path = '/', headers }: JsonOptions = {},
): Promise<JsonReply> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: ANY_AUTHORIZATION,
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `AmazonSQS.${action}`,
      ...headers,
    },
    body: typeof input === 'string' ? input : JSON.stringify(input),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) };
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const CHANNEL = 'http.server.request.start';

/**
 * Resolves when a server of this process has read a whole request that came after this call: one for `action` in AWS
 * JSON, or any when that is left out. With that a test can wait until a long poll is really open, which its client
 * cannot know.
 */
export function arrivalOf(action?: string): Promise<void> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage };
      if (action !== undefined && request.headers['x-amz-target'] !== `AmazonSQS.${action}`) return;
      unsubscribe(CHANNEL, onRequest);
      // Behind the server's own listener, and after the promises that one has set off.
      request.once('end', () => setImmediate(resolve));
    };
    subscribe(CHANNEL, onRequest);
  });
}

import { describe, expect, it } from 'vitest';
import { captureError, queueDoesNotExist, sqsError } from '../support/errors.ts';
import { postJson } from '../support/json-client.ts';
import { readReply } from '../support/query-client.ts';
import { nameOf, overBothProtocols, useSqs } from '../support/sqs.ts';

/** SQS: section 1.1 */
overBothProtocols('A queue URL', (sqs) => {
  it.each([
    ['its name', (name: string) => name],
    ['a path', (name: string) => `/000000000000/${name}`],
    ['a URL of another host', (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`],
    ['a legacy URL', (name: string) => `https://queue.amazonaws.com/000000000000/${name}`],
    ['a URL of another port', (name: string) => `http://localhost:1/000000000000/${name}`],
  ])('may be %s', async (_, urlOf) => {
    const queue = await sqs.createQueue({ DelaySeconds: '7' });
    expect(await sqs.attributes(urlOf(nameOf(queue)), 'DelaySeconds')).toEqual({ DelaySeconds: '7' });
  });

  it('of another account is of another queue', async () => {
    const queue = await sqs.createQueue();
    const QueueUrl = queue.replace('000000000000', '111111111111');
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm' })).toEqual(queueDoesNotExist(sqs.protocol));
  });

  it('begins as the request did', async () => {
    const { port } = sqs.server;
    const name = nameOf(await sqs.createQueue());
    const viaLocalhost = `http://localhost:${port}`;
    const reply =
      sqs.protocol === 'AWS JSON'
        ? (await postJson(viaLocalhost, 'GetQueueUrl', { QueueName: name })).text
        : await (await fetch(`${viaLocalhost}/?Action=GetQueueUrl&QueueName=${name}`)).text();
    expect(reply).toContain(`http://localhost:${port}/000000000000/${name}`);
  });
});

/** SQS: section 1.1 */
describe('A request to the URL of a queue', () => {
  const sqs = useSqs();
  const pathOf = (queue: string) => new URL(queue).pathname;
  const query = (path: string, ...parameters: [string, string][]) => sqs.server.query.request(parameters, { path });

  it('in AWS Query is about that queue', async () => {
    const queue = await sqs.createQueue();
    for (const method of ['POST', 'GET'] as const) {
      const options = { method, path: pathOf(queue) };
      await sqs.server.query.call('SendMessage', { MessageBody: method }, options);
      expect(await sqs.server.query.call('ReceiveMessage', {}, options)).toMatchObject({
        Messages: [{ Body: method }],
      });
    }
  });

  it('in AWS JSON is about that queue', async () => {
    const queue = await sqs.createQueue();
    const { status } = await postJson(sqs.server.url, 'SendMessage', { MessageBody: 'm' }, { path: pathOf(queue) });
    expect(status).toBe(200);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('is about the queue of the parameter when there is one', async () => {
    const ofPath = await sqs.createQueue();
    const ofParameter = await sqs.createQueue();
    const path = pathOf(ofPath);
    await sqs.server.query.call('SendMessage', { QueueUrl: ofParameter, MessageBody: 'query' }, { path });
    await postJson(sqs.server.url, 'SendMessage', { QueueUrl: ofParameter, MessageBody: 'json' }, { path });
    expect(await sqs.receiveBodies(ofPath)).toEqual([]);
    expect(await sqs.receiveBodies(ofParameter)).toEqual(['query', 'json']);
  });

  it('may be GetQueueUrl for another queue', async () => {
    const path = pathOf(await sqs.createQueue());
    const other = await sqs.createQueue();
    const input = { QueueName: nameOf(other) };
    expect(await sqs.server.query.call('GetQueueUrl', input, { path })).toEqual({ QueueUrl: other });
    expect((await postJson(sqs.server.url, 'GetQueueUrl', input, { path })).body).toEqual({ QueueUrl: other });
  });

  it.each(['CreateQueue', 'ListQueues'] as const)('cannot be %s', async (action) => {
    const path = pathOf(await sqs.createQueue());
    const message = `The action ${action} is not valid for this endpoint.`;
    const failure = async () => readReply(action, await query(path, ['Action', action], ['QueueName', 'other']));
    expect(await captureError(failure())).toEqual(sqsError('UnknownOperationException', message));
    const { status, body, headers } = await postJson(sqs.server.url, action, { QueueName: 'other' }, { path });
    expect([status, body.message, headers.get('x-amzn-query-error')]).toEqual([400, message, 'InvalidAction;Sender']);
  });

  it('needs no Version', async () => {
    const queue = await sqs.createQueue();
    const reply = await query(pathOf(queue), ['Action', 'SendMessage'], ['MessageBody', 'm']);
    expect(readReply('SendMessage', reply)).toMatchObject({ MessageId: expect.any(String) });
  });

  it('of no queue is refused', async () => {
    const reply = query('/000000000000/unknown', ['Action', 'SendMessage'], ['MessageBody', 'm']);
    const failure = async () => readReply('SendMessage', await reply);
    expect(await captureError(failure())).toEqual(queueDoesNotExist('AWS Query'));
  });
});

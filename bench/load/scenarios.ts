import type { Load, Step } from './load.ts';
import { Messages } from './messages.ts';
import { sqsRequest } from './sqs-request.ts';

/** What can be measured, by name. Each scenario has one queue to itself. */
export const SCENARIOS: Record<string, (load: Load) => Promise<void>> = {
  send: (load) => withQueue(load, async (queue) => load.measure('send', queue.send)),

  receive: (load) =>
    withQueue(load, async (queue) => {
      await load.repeat(load.plan.prefill, queue.sendTen);
      await load.measure('receive, delete', queue.receiveAndDelete);
    }),

  batch: (load) =>
    withQueue(load, async (queue) => {
      await load.measure('send 10', queue.sendTen);
      await load.measure('receive 10, delete 10', queue.receiveAndDeleteTen);
    }),

  /** For a server that is no queue: the requests of `send`. */
  echo: async (load) => {
    const request = sqsRequest('SendMessage', { QueueUrl: 'http://localhost/000000000000/echo', ...message(load) });
    await load.measure('echo', async (connection) => {
      await connection.call('SendMessage', request);
      return 1;
    });
  },
};

interface QueueSteps {
  send: Step;
  sendTen: Step;
  receiveAndDelete: Step;
  receiveAndDeleteTen: Step;
}

async function withQueue(load: Load, scenario: (queue: QueueSteps) => Promise<void>): Promise<void> {
  const isFifo = load.plan.groups > 0;
  const name = `bench-${Date.now()}${isFifo ? '.fifo' : ''}`;
  const attributes = isFifo
    ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }
    : undefined;
  const created = await load.first.call(
    'CreateQueue',
    sqsRequest('CreateQueue', { QueueName: name, Attributes: attributes }),
  );
  const { QueueUrl } = JSON.parse(created.toString()) as { QueueUrl: string };
  await scenario(stepsOn(QueueUrl, load));
  await load.first.call('DeleteQueue', sqsRequest('DeleteQueue', { QueueUrl }));
}

function stepsOn(QueueUrl: string, { plan }: Load): QueueSteps {
  const messages = new Messages(plan);
  const sendRequest = () => sqsRequest('SendMessage', { QueueUrl, ...messages.next() });
  const sendTenRequest = () => {
    const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: String(index), ...messages.next() }));
    return sqsRequest('SendMessageBatch', { QueueUrl, Entries });
  };
  // Encoded once where all are alike: the load has to stay well below the cost of the server.
  const [sameSend, sameSendTen] = messages.isFifo ? [] : [sendRequest(), sendTenRequest()];
  // Waits where other connections hold every group; a queue with messages to give answers at once.
  const receiveOne = sqsRequest('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 1 });
  const receiveTen = sqsRequest('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 1, MaxNumberOfMessages: 10 });

  return {
    send: async (connection) => {
      await connection.call('SendMessage', sameSend ?? sendRequest());
      return 1;
    },
    sendTen: async (connection) => {
      await connection.call('SendMessageBatch', sameSendTen ?? sendTenRequest());
      return 10;
    },
    receiveAndDelete: async (connection) => {
      const [handle] = receiptHandlesIn(await connection.call('ReceiveMessage', receiveOne));
      if (handle === undefined) return 0;
      await connection.call('DeleteMessage', sqsRequest('DeleteMessage', { QueueUrl, ReceiptHandle: handle }));
      return 1;
    },
    receiveAndDeleteTen: async (connection) => {
      const handles = receiptHandlesIn(await connection.call('ReceiveMessage', receiveTen));
      if (handles.length === 0) return 0;
      const Entries = handles.map((handle, index) => ({ Id: String(index), ReceiptHandle: handle }));
      await connection.call('DeleteMessageBatch', sqsRequest('DeleteMessageBatch', { QueueUrl, Entries }));
      return handles.length;
    },
  };
}

const HANDLE_START = '"ReceiptHandle":"';

/** Found in the text: parsing all of a reply would cost the load more than the rest of the round. */
function receiptHandlesIn(reply: Buffer): string[] {
  const text = reply.toString('latin1');
  const handles: string[] = [];
  for (let at = text.indexOf(HANDLE_START); at !== -1; at = text.indexOf(HANDLE_START, at)) {
    at += HANDLE_START.length;
    handles.push(text.slice(at, text.indexOf('"', at)));
  }
  return handles;
}

function message({ plan }: Load): object {
  return new Messages({ ...plan, groups: 0 }).next();
}

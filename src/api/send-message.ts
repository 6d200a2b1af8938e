import type { SendMessageRequest, SendMessageResult } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { messageSize } from './message-size.ts';
import { checkDelivery, composeMessage, SINGLE_WORDING, sendResultOf } from './outgoing-message.ts';

export async function sendMessage(
  queue: QueueRecord,
  input: SendMessageRequest,
  context: ActionContext,
): Promise<SendMessageResult> {
  checkDelivery(queue, input, SINGLE_WORDING);
  const size = messageSize(input.MessageBody, input.MessageAttributes);
  const outgoing = composeMessage(queue, input, size, SINGLE_WORDING, context);
  const [result] = await context.queues.send(queue.id, [outgoing.message]);
  return sendResultOf(outgoing, result!);
}

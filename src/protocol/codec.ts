import { awsJson } from './aws-json.ts';
import { awsQueryCodecFor } from './aws-query.ts';
import type { Codec, WireRequest } from './wire.ts';

export { type Call, type Codec, isSecure, type ReceivedRequest, type WireReply, type WireRequest } from './wire.ts';

/**
 * Chooses the protocol of a request (SQS: section 1.2). JSON clients always name their action in a header, so that
 * header, or the content type, decides; everything else is AWS Query, which also answers what is neither.
 */
export function codecFor(request: WireRequest): Codec {
  const { headers } = request;
  if (
    headers['x-amz-target'] !== undefined ||
    headers['content-type']?.toLowerCase().startsWith('application/x-amz-json')
  ) {
    return awsJson;
  }
  return awsQueryCodecFor(request);
}

import { SqsError } from './model/errors.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';
import { jsonError, jsonReply } from './query-json.ts';
import { type Parameter, parameterDecoder, parseParameters } from './query-parameters.ts';
import { xmlError, xmlReply } from './query-xml.ts';
import type { Call, Codec, WireReply, WireRequest } from './wire.ts';

/**
 * AWS Query (SQS: section 1.4): action and input as form parameters, in a POST body, in the URL or in both; the reply in
 * XML, or in a JSON of its own for who asks for it. `Version` is ignored: there is only one.
 */
export function awsQueryCodecFor(request: WireRequest): Codec {
  return request.headers.accept?.includes('application/json') ? awsQueryInJson : awsQueryInXml;
}

const awsQueryInXml = codec('text/xml', xmlReply, xmlError);
const awsQueryInJson = codec('application/json', jsonReply, jsonError);

function codec(contentType: string, renderReply: typeof xmlReply, renderError: typeof xmlError): Codec {
  function reply(status: number, body: string | Buffer, requestId: string): WireReply {
    return { status, headers: { 'Content-Type': contentType, 'x-amzn-RequestId': requestId }, body };
  }

  return {
    protocol: 'awsQuery',
    decode,
    encodeReply(action, output, requestId) {
      return reply(200, renderReply(action, output, requestId), requestId);
    },
    encodeError(error, requestId) {
      if (error.shape === 'NoSuchEndpoint') return noSuchEndpoint(error, requestId);
      const { fault, queryCode } = error;
      const body = renderError({ type: fault, code: queryCode, message: messageOf(error) }, requestId);
      return reply(error.httpStatus, body, requestId);
    },
  };
}

/** In XML even for clients that accept JSON. */
function noSuchEndpoint(error: SqsError, requestId: string): WireReply {
  return {
    status: error.httpStatus,
    headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId },
    body: `<${error.queryCode}/>`,
  };
}

/** The one text that differs between the protocols (SQS: section 13, item 1). */
function messageOf({ shape, message }: SqsError): string {
  return shape === 'QueueDoesNotExist' ? message.replace(/\.$/, ' for this wsdl version.') : message;
}

const INPUT_DECODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { input }]) => [action, parameterDecoder(input)]),
) as Record<ActionName, ReturnType<typeof parameterDecoder>>;

function decode(request: WireRequest): Call {
  // Node reads the request line as Latin-1, so this gives back the bytes that the client sent.
  const parameters = parseParameters([Buffer.from(request.query, 'latin1'), request.body]);
  const action = actionOf(parameters, request.method);
  return { action, input: INPUT_DECODERS[action](parameters) };
}

function actionOf(parameters: Parameter, method: string): ActionName {
  const action = parameters.children?.get('Action')?.text;
  if (action !== undefined && Object.hasOwn(ACTIONS, action)) return action as ActionName;
  if (action !== undefined) {
    throw new SqsError('UnknownOperationException', `The action ${action} is not valid for this endpoint.`);
  }
  if (method === 'POST') throw new SqsError('MissingActionException', 'The request must contain the parameter Action.');
  throw new SqsError('NoSuchEndpoint', `There is nothing to ${method} without an action.`);
}

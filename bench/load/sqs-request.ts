/** The head that current SDKs send, shortened where a server does not look. Nobody checks the signature. */
function headOf(action: string, contentLength: number): string {
  return [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/x-amz-json-1.0',
    `X-Amz-Target: AmazonSQS.${action}`,
    'X-Amz-Date: 20250101T000000Z',
    'User-Agent: aws-sdk-js/3.0.0 stanchion-load',
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250101/us-east-1/sqs/aws4_request, ' +
      'SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=' +
      '0000000000000000000000000000000000000000000000000000000000000000',
    'Accept: */*',
    'Connection: keep-alive',
    `Content-Length: ${contentLength}`,
    '',
    '',
  ].join('\r\n');
}

/** A whole HTTP request in AWS JSON 1.0. `json` is its body; an object is encoded. */
export function sqsRequest(action: string, json: string | object): Buffer {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  return Buffer.from(headOf(action, Buffer.byteLength(body)) + body);
}

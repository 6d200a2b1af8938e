import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

const NAME = 'AWS4-HMAC-SHA256';

/**
 * Signs requests as SDKs do (Signature Version 4), for servers that check it. The key of the day is derived once, but a
 * signature still costs the load about as much as the rest of a request.
 */
export class Signer {
  readonly #credentials: Credentials;
  readonly #service: string;
  #day = '';
  #key: Buffer = Buffer.alloc(0);

  constructor(credentials: Credentials, service = 'sqs') {
    this.#credentials = credentials;
    this.#service = service;
  }

  /** The value of the Authorization header of a POST to `/`. All `headers` are signed; names are in lower case. */
  authorization(headers: Record<string, string>, body: string): string {
    const date = headers['x-amz-date'] as string;
    const names = Object.keys(headers).sort();
    const signedHeaders = names.join(';');
    const canonical = [
      'POST',
      '/',
      '',
      ...names.map((name) => `${name}:${headers[name]}`),
      '',
      signedHeaders,
      sha256(body),
    ].join('\n');
    const day = date.slice(0, 8);
    const { accessKeyId, region } = this.#credentials;
    const scope = `${day}/${region}/${this.#service}/aws4_request`;
    const signature = createHmac('sha256', this.#keyOf(day))
      .update([NAME, date, scope, sha256(canonical)].join('\n'))
      .digest('hex');
    return `${NAME} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  }

  #keyOf(day: string): Buffer {
    if (day !== this.#day) {
      const { secretAccessKey, region } = this.#credentials;
      this.#key = [day, region, this.#service, 'aws4_request'].reduce<Buffer>(
        (key, part) => createHmac('sha256', key).update(part).digest(),
        Buffer.from(`AWS4${secretAccessKey}`),
      );
      this.#day = day;
    }
    return this.#key;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

import { createRequire } from 'node:module';
import type { WireReply, WireRequest } from '../../src/protocol/wire.ts';
import type { Model } from './query-model.ts';

/** The half of the AWS SDK v2 that turns inputs into requests and replies into outputs, without the network between. */

interface Operation {
  request: {
    service: { api: unknown; config: object };
    operation: string;
    params: object;
    httpRequest: { headers: Record<string, string>; body: string; endpoint: object };
  };
  httpResponse: { body: Buffer };
  data?: Record<string, unknown>;
}

interface SdkProtocol {
  buildRequest(request: Operation['request']): void;
  extractData(response: Operation): void;
}

interface Sdk {
  Model: { Api: new (model: Model, options: object) => { operations: Record<string, { name: string }> } };
}

const require = createRequire(import.meta.url);
const sdk = require('aws-sdk') as Sdk;
const PROTOCOLS = {
  json: require('aws-sdk/lib/protocol/json') as SdkProtocol,
  query: require('aws-sdk/lib/protocol/query') as SdkProtocol,
};

export class SdkV2 {
  readonly #protocol: SdkProtocol;
  readonly #api: InstanceType<Sdk['Model']['Api']>;

  constructor(protocol: 'json' | 'query', model: Model) {
    this.#protocol = PROTOCOLS[protocol];
    this.#api = new sdk.Model.Api(model, {});
  }

  request(action: string, input: object): WireRequest {
    const { request } = this.#operation(action, input);
    this.#protocol.buildRequest(request);
    const { headers, body } = request.httpRequest;
    return {
      method: 'POST',
      path: '/',
      query: '',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(body),
    };
  }

  output(action: string, { body }: WireReply): Record<string, unknown> {
    const operation = this.#operation(action, {});
    operation.httpResponse.body = Buffer.from(body);
    this.#protocol.extractData(operation);
    const { ResponseMetadata: _, ...output } = operation.data ?? {};
    return output;
  }

  #operation(action: string, params: object): Operation {
    // Its classes write operations with a small first letter.
    const operation = Object.keys(this.#api.operations).find((name) => name.toLowerCase() === action.toLowerCase());
    if (operation === undefined) throw new Error(`the SDK has no ${action}`);
    return {
      request: {
        service: { api: this.#api, config: {} },
        operation,
        params,
        httpRequest: { headers: {}, body: '', endpoint: {} },
      },
      httpResponse: { body: Buffer.alloc(0) },
    };
  }
}

import { createRequire } from 'node:module';
import { LISTS, MAPS } from '../../test/support/query-client.ts';

/**
 * The model of SQS as it was when SQS spoke AWS Query only: that of the AWS SDK v2, which knows AWS JSON only by now, with
 * the names of AWS Query put back (SQS: section 1.4). The names are those of the tests, on purpose: the server
 * has a table of its own.
 */

const LIST_NAMES: Record<string, string> = {
  ...LISTS,
  QueueUrls: 'QueueUrl',
  queueUrls: 'QueueUrl',
  Messages: 'Message',
  Failed: 'BatchResultErrorEntry',
};
/** Lists that are called after their action. */
const SUFFIXES: Record<string, string> = {
  Entries: 'RequestEntry',
  Successful: 'ResultEntry',
  Results: 'ResultEntry',
};

export interface ModelShape {
  shape?: string;
  type?: string;
  flattened?: boolean;
  locationName?: string;
  resultWrapper?: string;
  members?: Record<string, ModelShape>;
  member?: ModelShape;
  key?: ModelShape;
  value?: ModelShape;
}

export interface Model {
  metadata: Record<string, unknown>;
  operations: Record<string, { input: ModelShape; output?: ModelShape }>;
  shapes: Record<string, ModelShape>;
}

export function jsonModel(): Model {
  const path = 'aws-sdk/apis/sqs-2012-11-05.min.json';
  return structuredClone(createRequire(import.meta.url)(path)) as Model;
}

export function queryModel(): Model {
  const model = jsonModel();
  model.metadata.protocol = 'query';
  for (const shape of Object.values(model.shapes)) nameMembers(shape, '', model);
  for (const [action, { input, output }] of Object.entries(model.operations)) {
    nameMembers(input, action, model);
    if (output === undefined) continue;
    nameMembers(output, action, model);
    output.resultWrapper = `${action}Result`;
  }
  return model;
}

function nameMembers(structure: ModelShape, action: string, model: Model): void {
  for (const [name, member] of Object.entries(structure.members ?? {})) {
    // References that several structures share are replaced by copies, which can be given names of their own.
    const shape: ModelShape = member.shape === undefined ? member : { ...model.shapes[member.shape], ...member };
    if (shape.type === 'list') {
      const suffix = SUFFIXES[name];
      const locationName = suffix === undefined ? LIST_NAMES[name] : `${action}${suffix}`;
      if (locationName === undefined) throw new Error(`there is no name for the list ${name}`);
      structure.members![name] = { ...shape, shape: undefined, member: { ...shape.member, locationName } };
      nameMembers(structure.members![name].member!, action, model);
    } else if (shape.type === 'map') {
      const [locationName, keyName] = MAPS[name] ?? [];
      if (locationName === undefined) throw new Error(`there is no name for the map ${name}`);
      structure.members![name] = {
        ...shape,
        shape: undefined,
        locationName,
        key: { ...shape.key, locationName: keyName },
        value: { ...shape.value, locationName: 'Value' },
      };
      nameMembers(structure.members![name].value!, action, model);
    } else if (shape.type === 'structure') {
      nameMembers(shape, action, model);
    }
  }
}

import { z } from 'zod';

/** A queue that is to exist once the server runs. */
export interface QueueDeclaration {
  /** As in CreateQueue; numbers and booleans may be written as such, policies as objects. */
  attributes?: Record<string, string>;
  tags?: Record<string, string>;
  /** The RedrivePolicy, with the dead-letter queue by name. */
  redrive?: { deadLetterQueue: string; maxReceiveCount: number };
}

/** By name of the queue. */
export type QueueDeclarations = Record<string, QueueDeclaration>;

/** The same as people may write it. */
export type QueueDeclarationsInput = Record<
  string,
  {
    attributes?: Record<string, string | number | boolean | object>;
    tags?: Record<string, string | number | boolean>;
    redrive?: { deadLetterQueue: string; maxReceiveCount: number };
  } | null
>;

const RECEIVE_COUNT_RULE = 'must be a whole number from 1 to 1000';

const scalar = (error: string) => z.union([z.string(), z.number(), z.boolean()], { error }).transform(String);

const attributeValue = z.union(
  [scalar(''), z.record(z.string(), z.unknown()).transform((policy) => JSON.stringify(policy))],
  { error: 'must be a text, a number, true, false or, for a policy, an object' },
);

const redrive = z.strictObject(
  {
    deadLetterQueue: z
      .string({ error: 'must be the name of a queue' })
      .min(1, { error: 'must be the name of a queue' }),
    maxReceiveCount: z
      .int({ error: RECEIVE_COUNT_RULE })
      .min(1, { error: RECEIVE_COUNT_RULE })
      .max(1000, { error: RECEIVE_COUNT_RULE }),
  },
  { error: 'must have deadLetterQueue and maxReceiveCount' },
);

const declaration = z
  .strictObject(
    {
      attributes: z.record(z.string(), attributeValue, { error: 'must be a map of attributes' }).optional(),
      tags: z
        .record(z.string(), scalar('must be a text, a number, true or false'), { error: 'must be a map of tags' })
        .optional(),
      redrive: redrive.optional(),
    },
    { error: 'must be a map of attributes, tags and redrive' },
  )
  .refine((queue) => queue.redrive === undefined || queue.attributes?.RedrivePolicy === undefined, {
    error: 'must not have both redrive and the attribute RedrivePolicy',
  });

/** Parses `QueueDeclarationsInput`. A queue without any settings of its own may be empty (null in YAML). */
export const queueDeclarationsSchema: z.ZodType<QueueDeclarations> = z.record(
  z.string(),
  z.preprocess((value) => value ?? {}, declaration),
  { error: 'must be a map of queue names' },
);

/** The keys that may stand at a place inside `queues`, to suggest one for an unknown key. */
export function keysKnownAt(path: readonly PropertyKey[]): string[] {
  if (path.length === 1) return Object.keys(declaration.shape);
  return path[1] === 'redrive' ? Object.keys(redrive.shape) : [];
}

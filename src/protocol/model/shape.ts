/**
 * The vocabulary in which `shapes.ts` describes the API: enough for both codecs to be compiled from it, nothing of what
 * an action means. Every list and map of SQS is flattened in AWS Query (SQS: section 1.4), so a shape need not say so.
 */

export type Shape = ScalarShape | ListShape | MapShape | StructureShape;

export interface ScalarShape {
  /** `integer` has 32 bits and `long` 64; a `blob` is bytes, in base64 on the wire. */
  type: 'string' | 'integer' | 'long' | 'boolean' | 'blob';
}

export interface ListShape {
  type: 'list';
  member: Shape;
}

/** A map with string keys. */
export interface MapShape {
  type: 'map';
  value: Shape;
  /** What AWS Query calls the key of an entry: tags have a `Key`, attributes a `Name`. */
  queryKey: 'Key' | 'Name';
}

export interface StructureShape {
  type: 'structure';
  name: string;
  /** By JSON name, in the order in which replies carry them. */
  members: Readonly<Record<string, MemberShape>>;
}

export interface MemberShape {
  shape: Shape;
  /** The parameter prefix or element name in AWS Query. */
  queryName: string;
  required: boolean;
}

export interface ActionShape {
  input: StructureShape;
  /** Absent: the action answers with nothing. */
  output?: StructureShape;
}

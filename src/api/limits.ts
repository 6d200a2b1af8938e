/** The fixed numbers of SQS. Sizes are in bytes, times in seconds as on the wire, unless the name says otherwise. */

/** Of a message, and of all messages of a batch together (SQS: section 4.4, section 8). */
export const MESSAGE_BYTES_MAX = 1_048_576;
export const MESSAGE_ATTRIBUTES_MAX = 10;
/** Of the name of a message attribute, and of its data type with the label. */
export const MESSAGE_ATTRIBUTE_NAME_BYTES_MAX = 256;
/**
 * Of the AWSTraceHeader. SQS documents none and counts it to nothing; real ones have some hundred bytes, and what is stored
 * of a message next to its content has to stay small.
 */
export const TRACE_HEADER_BYTES_MAX = 4096;

export const BATCH_ENTRIES_MAX = 10;

export const DELAY_SECONDS_MAX = 900;
export const VISIBILITY_TIMEOUT_SECONDS_MAX = 43_200;
export const WAIT_TIME_SECONDS_MAX = 20;
export const RECEIVE_MESSAGES_MAX = 10;

/** Queues in one page of a listing. */
export const LIST_RESULTS_MAX = 1000;
export const MOVE_TASK_RESULTS_MAX = 10;
/** Of a page token or a task handle, in characters. Those of this server are shorter; nothing longer is decoded. */
export const TOKEN_LENGTH_MAX = 1024;
export const MOVE_TASK_RATE_MAX = 500;

export const TAGS_MAX = 50;
/** In characters, as are the values. */
export const TAG_KEY_LENGTH_MAX = 128;
export const TAG_VALUE_LENGTH_MAX = 256;

/** No limit is known: that of the Policy attribute (SQS: section 9.2). */
export const REDRIVE_POLICY_BYTES_MAX = 8192;

/** In characters: that of the key management service, as SQS documents none. */
export const KMS_KEY_ID_LENGTH_MAX = 2048;

export const REDRIVE_RECEIVE_COUNT_MAX = 1000;
export const REDRIVE_SOURCE_QUEUES_MAX = 10;

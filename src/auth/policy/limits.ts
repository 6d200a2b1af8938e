/** The limits of a queue policy (SQS: section 9.2). Principals and conditions count over all statements. */
export const QUEUE_POLICY_BYTES_MAX = 8192;
export const QUEUE_POLICY_STATEMENTS_MAX = 20;
export const QUEUE_POLICY_PRINCIPALS_MAX = 50;
export const QUEUE_POLICY_CONDITIONS_MAX = 10;
/** Of one statement, and of one AddPermission. */
export const STATEMENT_ACTIONS_MAX = 7;

import type { Account } from '../../auth/identity/model.ts';

/** Who there is and what holds for the listener, as plain data: it goes to every process that takes requests. */
export interface AccessRules {
  /** `aws`, `aws-cn`, ... */
  partition: string;
  accounts: readonly Account[];
  /** A policy document. */
  endpointPolicy?: string;
}

/** What does not change while the server runs. */
export interface AccessSecrets {
  /** In base64. */
  masterKey: string;
}

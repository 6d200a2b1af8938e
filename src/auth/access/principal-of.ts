import type { Caller } from '../identity/caller.ts';
import type { Principal } from '../policy/principal.ts';

/** A caller as policies see it. */
export function principalOf({ type, account, arn, userId: id, name, role, userArn, tags }: Caller): Principal {
  switch (type) {
    case 'root':
      return { type, account, arn };
    case 'user':
      return { type, account, arn, id, name, tags };
    case 'assumed-role':
      return { type, account, arn, id, roleArn: present(role?.arn), tags };
    case 'federated-user':
      return { type, account, arn, id, userArn: present(userArn), tags };
  }
}

function present(arn: string | undefined): string {
  if (arn === undefined) throw new Error('a session is of somebody');
  return arn;
}

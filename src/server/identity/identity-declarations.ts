import { z } from 'zod';
import { compilePolicy } from '../../auth/policy/compile-policy.ts';
import type { PolicyKind } from '../../auth/policy/policy.ts';
import { PolicyError } from '../../auth/policy/policy-error.ts';

/** What an identity file holds: who there is, secrets as they are written. */
export interface IdentityDeclarations {
  version: 1;
  accounts: Record<string, AccountDeclaration>;
}

export interface AccountDeclaration {
  root: { accessKeys: AccessKeyDeclaration[] };
  users: Record<string, UserDeclaration>;
  groups: Record<string, GroupDeclaration>;
  roles: Record<string, RoleDeclaration>;
}

export interface UserDeclaration {
  id?: string;
  path: string;
  groups: string[];
  /** By name; JSON texts. */
  policies: Record<string, string>;
  permissionsBoundary?: string;
  tags: Record<string, string>;
  accessKeys: AccessKeyDeclaration[];
}

export interface GroupDeclaration {
  id?: string;
  path: string;
  policies: Record<string, string>;
}

export interface RoleDeclaration {
  id?: string;
  path: string;
  trustPolicy: string;
  sessionSecondsMax: number;
  policies: Record<string, string>;
  permissionsBoundary?: string;
  tags: Record<string, string>;
}

export interface AccessKeyDeclaration {
  id: string;
  /** In a variable of the environment, or sealed under the key file. Never as it is. */
  secret: { env: string } | { sealed: string };
  active: boolean;
}

const NAME_RULE = 'must be 1 to 64 letters, digits or _+=,.@-';
const name = z.string().regex(/^[\w+=,.@-]{1,64}$/, { error: NAME_RULE });
const ACCOUNT_RULE = 'must be 12 digits in quotes';
const SESSION_RULE = 'must be a whole number of seconds from 3600 to 43200';
const SECRET_RULE = 'must be {env: NAME} or {sealed: TEXT}; a secret itself does not belong into the file';

const path = z
  .string({ error: 'must be a text such as /teams/blue/' })
  .regex(/^\/(?:[\x21-\x7e]{0,510}\/)?$/, { error: 'must begin and end with /' })
  .default('/');

const documentOf = (kind: PolicyKind) =>
  z
    .union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))], {
      error: 'must be a policy: an object, or its JSON as a text',
    })
    .superRefine((text, issues) => {
      const message = problemOf(text, kind);
      if (message !== undefined) issues.addIssue({ code: 'custom', message });
    });
const document = documentOf('identity');

const policies = z
  .record(z.string().regex(/^[\w+=,.@-]{1,128}$/, { error: NAME_RULE }), document, {
    error: 'must be a map of policies by name',
  })
  .default({});

const tags = z
  .record(z.string().min(1).max(128), z.union([z.string(), z.number(), z.boolean()]).transform(String), {
    error: 'must be a map of tags',
  })
  .default({});

const accessKey = z.strictObject(
  {
    id: z.string({ error: 'must be a text' }).regex(/^\w{4,128}$/, { error: 'must be 4 to 128 letters and digits' }),
    secret: z.union([z.strictObject({ env: z.string().min(1) }), z.strictObject({ sealed: z.string().min(1) })], {
      error: SECRET_RULE,
    }),
    active: z.boolean({ error: 'must be true or false' }).default(true),
  },
  { error: 'must have id and secret' },
);
const accessKeys = z.array(accessKey, { error: 'must be a list of access keys' }).default([]);

const idOf = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}[A-Z0-9]{12,124}$`), { error: `must be ${prefix} and capital letters or digits` })
    .optional();

/** Somebody without any settings may be empty, which is null in YAML. */
const orEmpty = <Schema extends z.ZodType>(schema: Schema) => z.preprocess((value) => value ?? {}, schema);

const user = z.strictObject(
  {
    id: idOf('AIDA'),
    path,
    groups: z.array(name, { error: 'must be a list of groups' }).default([]),
    policies,
    permissionsBoundary: document.optional(),
    tags,
    accessKeys,
  },
  { error: 'must be a map of settings' },
);

const group = z.strictObject({ id: idOf('AGPA'), path, policies }, { error: 'must be a map of settings' });

const role = z.strictObject(
  {
    id: idOf('AROA'),
    path,
    trustPolicy: documentOf('trust'),
    sessionSecondsMax: z
      .int({ error: SESSION_RULE })
      .min(3600, { error: SESSION_RULE })
      .max(43_200, { error: SESSION_RULE })
      .default(3600),
    policies,
    permissionsBoundary: document.optional(),
    tags,
  },
  { error: 'must be a map of settings with a trustPolicy' },
);

const account = z.strictObject(
  {
    root: orEmpty(z.strictObject({ accessKeys }, { error: 'must be a map with accessKeys' })),
    users: orEmpty(z.record(name, orEmpty(user), { error: 'must be a map of users by name' })),
    groups: orEmpty(z.record(name, orEmpty(group), { error: 'must be a map of groups by name' })),
    roles: orEmpty(z.record(name, role, { error: 'must be a map of roles by name' })),
  },
  { error: 'must be a map of root, users, groups and roles' },
);

const file = z.strictObject(
  {
    version: z.literal(1, { error: 'must be 1' }),
    accounts: orEmpty(
      z.record(z.string().regex(/^\d{12}$/, { error: ACCOUNT_RULE }), orEmpty(account), {
        error: 'must be a map of accounts by number',
      }),
    ),
  },
  { error: 'must be a map with version and accounts' },
);

/** Problems are sentences that begin with the place: `accounts.111122223333.users.alice.groups must be ...`. */
export function parseDeclarations(value: unknown): { value: IdentityDeclarations } | { problems: string[] } {
  const parsed = file.safeParse(value);
  if (!parsed.success) return { problems: parsed.error.issues.flatMap(problemsOf) };
  const problems = contradictions(parsed.data);
  return problems.length > 0 ? { problems } : { value: parsed.data };
}

function problemsOf(issue: z.core.$ZodIssue): string[] {
  const place = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${[...place, key].join('.')} is not a setting`);
  if (issue.code === 'invalid_key') return [`${place.join('.')} ${issue.issues[0]?.message ?? issue.message}`];
  return [`${place.join('.') || 'the file'} ${issue.message}`];
}

/** What is wrong between entries that are each right. */
function contradictions({ accounts }: IdentityDeclarations): string[] {
  const problems: string[] = [];
  const keyPlaces = new Map<string, string>();
  const idPlaces = new Map<string, string>();
  const claim = (places: Map<string, string>, id: string | undefined, place: string): void => {
    if (id === undefined) return;
    const other = places.get(id);
    if (other !== undefined) problems.push(`${place} has the id ${id}, which ${other} has`);
    places.set(id, place);
  };
  const claimKeys = (keys: readonly AccessKeyDeclaration[], place: string): void => {
    for (const key of keys) claim(keyPlaces, key.id, `${place}.accessKeys`);
  };
  for (const [number, { root, users, groups, roles }] of Object.entries(accounts)) {
    const place = `accounts.${number}`;
    claimKeys(root.accessKeys, `${place}.root`);
    for (const [kind, members] of Object.entries({ users, groups, roles })) {
      for (const [member, { id }] of Object.entries(members)) claim(idPlaces, id, `${place}.${kind}.${member}`);
    }
    for (const [member, { accessKeys: keys, groups: memberships }] of Object.entries(users)) {
      claimKeys(keys, `${place}.users.${member}`);
      for (const membership of memberships) {
        if (Object.hasOwn(groups, membership)) continue;
        problems.push(`${place}.users.${member}.groups names ${membership}, which ${place}.groups has not`);
      }
    }
  }
  return problems;
}

/** Undefined when the policy can be evaluated. */
function problemOf(text: string, kind: PolicyKind): string | undefined {
  try {
    compilePolicy(text, kind);
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError) return `is no policy (${error.message})`;
    throw error;
  }
}

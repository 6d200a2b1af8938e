// The directions of dependency between the folders of src (docs/architecture.md), as rules. Types count: a folder that
// knows another one's types depends on it. Tests may import what they like.

const TESTS = '\\.test\\.ts$';

/** A folder of src may import only itself and what is listed. */
const MAY_IMPORT = {
  collections: [],
  platform: [],
  queue: ['collections/'],
  protocol: ['platform/'],
  // What is stored are the domain's records, so their codec knows their types. Adapters see bytes only: see below.
  storage: ['queue/(record|message|change)\\.ts$', 'platform/', 'collections/'],
  engine: ['queue/', 'storage/(store|keys|records)\\.ts$', 'platform/', 'collections/'],
  encryption: [
    'engine/(content-encryption|queue-service)\\.ts$',
    'queue/record\\.ts$',
    'storage/records\\.ts$',
    'platform/',
  ],
  // Nothing but the server imports these two.
  audit: ['platform/'],
  quotas: ['engine/queue-service\\.ts$', 'queue/record\\.ts$', 'platform/'],
  channel: ['engine/queue-service\\.ts$', 'queue/(record|message)\\.ts$', 'platform/'],
  // Policies are judged without knowing who asks: whoever wires access control brings request and policies together.
  'auth/policy': [],
  'auth/sigv4': ['protocol/(wire|model/errors)\\.ts$', 'collections/'],
  'auth/identity': ['auth/sigv4/', 'collections/'],
  'auth/sts': [
    'auth/identity/',
    'auth/policy/',
    'protocol/sts/sts-shapes\\.ts$',
    'protocol/model/errors\\.ts$',
    'platform/',
  ],
  // What brings a caller, a request and the policies together.
  'auth/access': [
    'auth/(policy|identity|sts)/',
    'auth/sigv4/signature-errors\\.ts$',
    'api/(account|arn|limits|move-task|queue-name|queue-url)\\.ts$',
    'engine/queue-service\\.ts$',
    'queue/record\\.ts$',
    'protocol/model/',
  ],
  api: [
    'auth/policy/',
    'engine/queue-service\\.ts$',
    'queue/(record|message)\\.ts$',
    'protocol/model/',
    'protocol/checksums\\.ts$',
    'platform/',
    'collections/',
  ],
};

/** The packages a folder may import; folders that are not listed may import none. */
const MAY_USE_PACKAGES = {
  'storage/lmdb': ['lmdb'],
  server: ['zod', 'yaml'],
  bin: ['commander', 'pino', 'pino-pretty'],
};

const directions = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder.replace('/', '-')}-imports-only-its-lower-layers`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: TESTS },
  to: { path: '^src/', pathNot: [`${folder}/`, ...allowed].map((path) => `^src/${path}`) },
}));

const packages = Object.entries(MAY_USE_PACKAGES).map(([folder, names]) => ({
  name: `${folder.replace('/', '-')}-uses-only-its-packages`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: TESTS },
  to: { path: 'node_modules/', pathNot: `node_modules/(@types/)?(${names.join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...directions,
    ...packages,
    {
      name: 'other-folders-use-no-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: [TESTS, `^src/(${Object.keys(MAY_USE_PACKAGES).join('|')})/`] },
      to: { path: 'node_modules/', pathNot: 'node_modules/@types/' },
    },
    {
      name: 'domain-uses-nothing-of-the-machine',
      comment: 'The state machine, its collections and the evaluation of policies are pure: not even a module of Node.',
      severity: 'error',
      from: { path: '^src/(queue|collections|auth/policy)/', pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'adapters-know-the-port-only',
      severity: 'error',
      from: { path: '^src/storage/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^src/(storage|queue)/',
        // What adapters share besides the port lies beside it.
        pathNot: ['^src/storage/$1/', '^src/storage/[^/]+\\.ts$'],
      },
    },
    {
      name: 'the-port-knows-no-adapter',
      severity: 'error',
      from: { path: '^src/storage/[^/]+\\.ts$', pathNot: TESTS },
      to: { path: '^src/storage/[^/]+/' },
    },
    {
      name: 'only-the-server-wires-adapters',
      severity: 'error',
      from: { path: '^src/', pathNot: [TESTS, '^src/(server|storage)/'] },
      to: { path: '^src/storage/[^/]+/' },
    },
    {
      name: 'nobody-imports-the-command-line',
      severity: 'error',
      from: { pathNot: ['^src/bin/', TESTS] },
      to: { path: '^src/bin/' },
    },
    {
      name: 'the-command-line-knows-the-server-only',
      severity: 'error',
      from: { path: '^src/bin/', pathNot: TESTS },
      to: { path: '^src/', pathNot: '^src/(bin|server)/' },
    },
    {
      name: 'source-imports-no-tools',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: '^(sim|test|bench|tools)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};

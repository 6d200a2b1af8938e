import type { Client } from '../describe-client.ts';
import { describeClient } from '../describe-client.ts';
import { only, SCENARIOS } from '../scenarios.ts';
import { virtualenvProgram } from '../toolchains.ts';

// Celery sends through boto3, and its worker receives and deletes through a client of kombu's own: asynchronous, on libcurl,
// with its own requests and its own reading of replies.

const BODY = (SCENARIOS['send-receive-delete']() as { body: string }).body;

const CELERY = {
  scenarios: ['create-queue', 'send-receive-delete', 'visibility', 'fifo', 'purge', 'delete-queue'],
  sees: {
    'create-queue': (surface) => only(SCENARIOS['create-queue'](surface), 'found', 'listed'),
    // A task, and what it returned.
    'send-receive-delete': () => ({ result: `Hello ${BODY}`, left: 0 }),
    // A task that gave its message back twice.
    visibility: () => ({ attempts: 3, left: 0 }),
    fifo: () => ({ ...only(SCENARIOS.fifo(), 'bodies'), left: 0 }),
    purge: () => ({ before: 3, left: 0 }),
    'delete-queue': () => only(SCENARIOS['delete-queue'](), 'listed'),
  },
} as const satisfies Partial<Client>;

await describeClient({
  ...CELERY,
  name: 'Celery',
  protocol: 'AWS JSON 1.0',
  prepare: () => virtualenvProgram('celery_scenarios.py', 'requirements-celery.txt'),
  note: 'tasks that a worker executes; queues through kombu',
});

await describeClient({
  ...CELERY,
  name: 'Celery of the AWS Query generation',
  protocol: 'AWS Query',
  prepare: () => virtualenvProgram('celery_scenarios.py', 'requirements-celery-query.txt'),
  sees: {
    ...CELERY.sees,
    // This version forgets a queue, but does not ask to delete it.
    'delete-queue': ({ url }) => ({ listed: [`${url}/000000000000/deleted`] }),
  },
  note: 'with botocore 1.29.165',
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/start.ts';
import { run } from './programs.ts';
import { type Protocol, SCENARIOS, type Scenario, type Surface } from './scenarios.ts';

/** How to run a client program, which takes the URL of the server as its last argument; or why that cannot be. */
export type ClientProgram = { program: string; args: readonly string[] } | { unavailable: string };

export interface Client {
  /** As its makers call it. */
  name: string;
  /** What it has to speak. */
  protocol: Protocol;
  /** Makes it ready, and may take minutes. */
  prepare(): Promise<ClientProgram> | ClientProgram;
  /** The ones that it does, when it is not all: those that a library has no call for are left out. */
  scenarios?: readonly Scenario[];
  /** The class of the error for a missing queue, when the client has one for it. */
  errorType?: string;
  /** Where it shows something else than the SDKs do, with the reason in a comment. */
  sees?: Partial<Record<Scenario, (surface: Surface) => unknown>>;
  /** For the table of clients. */
  note?: string;
}

/** What a client program prints for a scenario. */
interface Line {
  scenario: Scenario;
  saw?: unknown;
  /** The error that ended it, with all that helps to find out why. */
  failed?: string;
}

const RUN_TIMEOUT_MS = 300_000;
const HTTP_CHANNEL = 'http.server.request.start';
const PROTOCOLS: Record<string, Protocol> = {
  'application/x-amz-json-1.0': 'AWS JSON 1.0',
  'application/x-www-form-urlencoded': 'AWS Query',
};

/** Defines a test for each scenario of a client. They judge one run of its program against a server of its own. */
export async function describeClient(client: Client): Promise<void> {
  const program = await client.prepare();
  if ('unavailable' in program) {
    console.info(`${client.name} is not tested, because ${program.unavailable}`);
    writeResult({ client: client.name, unavailable: program.unavailable });
    describe(client.name, () => it.skip(`is not tested, because ${program.unavailable}`));
    return;
  }

  const scenarios = client.scenarios ?? (Object.keys(SCENARIOS) as Scenario[]);
  const lines = new Map<Scenario, Line>();
  const spoken = new Set<string>();
  const passed: Scenario[] = [];
  let version = '';
  let output = '';
  let server: RunningServer;
  let surface: Surface;
  const data = mkdtempSync(join(tmpdir(), 'stanchion-clients-'));

  function onRequest(message: unknown): void {
    const { request } = message as { request: IncomingMessage };
    if (request.socket.localPort !== server.port) return;
    const [type = ''] = request.headers['content-type']?.split(';') ?? [];
    spoken.add(PROTOCOLS[type] ?? `${request.method} ${type}`);
  }

  describe(client.name, () => {
    beforeAll(async () => {
      server = await startServer({ data, port: 0 });
      surface = { url: server.url, protocol: client.protocol };
      subscribe(HTTP_CHANNEL, onRequest);
      const finished = await run(program.program, [...program.args, server.url], { timeoutMs: RUN_TIMEOUT_MS });
      output = `${finished.stdout}\n${finished.stderr}`;
      for (const text of finished.stdout.split('\n').filter((line) => line.startsWith('{'))) {
        const line = JSON.parse(text) as Line | { version: string };
        if ('version' in line) version = line.version;
        else lines.set(line.scenario, line);
      }
    }, RUN_TIMEOUT_MS + 20_000);

    afterAll(async () => {
      unsubscribe(HTTP_CHANNEL, onRequest);
      await server?.close();
      rmSync(data, { recursive: true, force: true });
      const { name, protocol, note = '' } = client;
      writeResult({ client: name, version, protocol, passed: passed.length, total: scenarios.length, note });
    });

    it(`speaks ${client.protocol}`, () => {
      expect([...spoken], output).toEqual([client.protocol]);
      expect(version, output).toMatch(/^\d+\.\d+/);
    });

    it.each(scenarios)('%s', (scenario) => {
      const line = lines.get(scenario);
      expect(line, `the program says nothing of this scenario:\n${output}`).toBeDefined();
      expect(line?.failed).toBeUndefined();
      expect(line?.saw).toEqual(expectationOf(client, scenario, surface));
      passed.push(scenario);
    });

    it('does nothing that is not judged', () => {
      expect([...lines.keys()].sort(), output).toEqual([...scenarios].sort());
    });
  });
}

function expectationOf({ sees, errorType }: Client, scenario: Scenario, surface: Surface): unknown {
  const expected = (sees?.[scenario] ?? SCENARIOS[scenario])(surface);
  return scenario === 'errors' && errorType !== undefined ? { ...(expected as object), errorType } : expected;
}

/** For tools/test-clients.mjs, which makes a table of them. */
function writeResult(result: { client: string; [detail: string]: unknown }): void {
  const folder = process.env.CLIENT_RESULTS;
  if (folder === undefined) return;
  writeFileSync(join(folder, `${result.client.replaceAll(/\W+/g, '-')}.json`), JSON.stringify(result));
}

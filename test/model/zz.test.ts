import { it } from 'vitest';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import * as c from './commands.ts';
import { newModel, World } from './harness.ts';
it('t', () => {
  const o = {"fifo":false,"deduplicationScope":"queue" as const,"delayMs":0,"retentionMs":3600000,"limits":{...QUEUE_LIMITS,"inFlightMax":5,"windowReadyMax":4,"pageRowsMax":3,"pageRowsMin":1,"delaysMax":4,"delayPageRows":3,"delaysLow":2,"deduplicationIdsMax":5}};
  const model = newModel(o); const w = new World(o, model);
  const log = (x: unknown) => console.log(JSON.stringify(x));
  for (const m of ['readPage','deliverPage','complete'] as const) { const f = (w as any)[m].bind(w); (w as any)[m] = (...a: any[]) => { f(...a); log([m, w.queue(0).counters]); }; }
  const ta = (w as any).queues[0];
  const x = (c as any).test;
  const run = (cmd: any) => { log(String(cmd)); cmd.run(model, w); const q = w.queue(0) as any; if (!q.patched) { q.patched = 1; const t = q.takeEffects.bind(q); q.takeEffects = () => { const e = t(); log(e.changes.map((c: any) => [c.kind, c.at?.seq])); return e; }; const ww = q.wants.bind(q); q.wants = () => { const r = ww(); log(r); return r; }; const l = q.logPageLoaded.bind(q); q.logPageLoaded = (a: any, b: any, ...z: any[]) => { log(['log page', a, b]); l(a, b, ...z); }; const d = q.delayPageLoaded.bind(q); q.delayPageLoaded = (a: any, b: any, ...z: any[]) => { log(['delay page', a, b]); d(a, b, ...z); }; } };
  run(x.send(0, [{ group: 0, dedup: 0, delayMs: 60000 }]));
  run(x.send(0, [{ group: 0, dedup: 0, delayMs: 2000 }, { group: 0, dedup: 0, delayMs: 1000 }, { group: 0, dedup: 0, delayMs: 1000 }]));
  run(x.pass(43200000, false)); run(x.restart(2, false)); run(x.readPage(0)); run(x.rest());
});

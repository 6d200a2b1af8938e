// What any durable server has to do at least: append records to a file and have the disk confirm them. As many records
// share a flush as there are clients waiting, which is the best a group commit can do. It does nothing else meanwhile,
// so its calls wait for the disk: handing them to another thread would make it slower.

import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Latencies } from '../load/latencies.ts';

const [directory = '.', recordBytes, recordsPerFlush, seconds] = process.argv.slice(2);
const records = Number(recordsPerFlush);
const group = Buffer.alloc(Number(recordBytes) * records, 'x');
const path = join(directory, 'log');
const file = openSync(path, 'wx');
const latencies = new Latencies();
const start = performance.now();
const endsAt = start + Number(seconds) * 1000;

let written = 0;
for (let now = start; now < endsAt; ) {
  for (let at = 0; at < group.length; ) at += writeSync(file, group, at);
  fdatasyncSync(file);
  written += records;
  const done = performance.now();
  latencies.add(done - now);
  now = done;
}
closeSync(file);
unlinkSync(path);
const elapsedSeconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ recordsPerSecond: written / elapsedSeconds, latency: latencies.percentiles() }));

// Runs scenarios one after the other and prints a line of JSON for each. What they are: see ../scenarios.ts.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const CREDENTIALS = { accessKeyId: 'any', secretAccessKey: 'any' };
export const BODY = 'Gr\u00fc\u00dfe \u{1F426} <&> "\'\t\r\n';
export const RAW = Buffer.from([0x00, 0x01, 0xfe, 0xff]);

/** `scenarios` are asynchronous functions by the name of the scenario; each returns what the client saw. */
export async function report(version, scenarios) {
  print({ version });
  for (const [scenario, play] of Object.entries(scenarios)) {
    try {
      print({ scenario, saw: await play() });
    } catch (error) {
      print({ scenario, failed: error.stack ?? String(error) });
    }
  }
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The installed version of a package. Not every package lets others import its package.json. */
export function versionOf(name) {
  const main = createRequire(import.meta.url).resolve(name);
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = readManifest(folder);
    if (manifest?.name === name) return manifest.version;
  }
  throw new Error(`${name} is not installed`);
}

function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The error of a call that has to fail. */
export async function errorOf(promise) {
  let output;
  try {
    output = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`an error was due, but the answer was ${JSON.stringify(output)}`);
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('has generated the committed model', () => {
  const generator = fileURLToPath(new URL('./generate-model.mjs', import.meta.url));
  const committed = new URL('../src/protocol/model/shapes.ts', import.meta.url);
  const generated = execFileSync(process.execPath, [generator, '--print'], { encoding: 'utf8' });
  expect(generated).toBe(readFileSync(committed, 'utf8'));
});

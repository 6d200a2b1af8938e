import { manualClock, startServer } from 'stanchion';
import { expect, it } from 'vitest';

// By its own name, through `exports`: what a program that installs the package gets.

it('starts a server inside another program, with a clock of its own', async () => {
  const clock = manualClock();
  const server = await startServer({ store: 'memory', port: 0, clock });
  const reply = await fetch(`${server.url}/health`);
  expect(await reply.json()).toMatchObject({ status: 'ok' });
  await clock.advance(1000);
  await server.close();
});

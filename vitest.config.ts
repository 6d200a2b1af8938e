import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        // Beside the source: no sockets to the outside, no waiting.
        test: { name: 'unit', include: ['{src,sim,bench,tools}/**/*.test.{ts,mjs}'], testTimeout: 10_000 },
      },
      {
        // Real servers, real clients, real disks, and servers that are killed.
        test: { name: 'system', include: ['test/**/*.test.{ts,mjs}'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});

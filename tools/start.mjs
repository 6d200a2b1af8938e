// `npm start`: sets up, then serves. In this process, and the script in package.json says `exec`: npm passes a signal on
// to the shell it started, which would die of it and leave the server behind. (Windows has no exec: run this file there.)

import { exitOnFailure, setup } from './setup.mjs';

exitOnFailure(() => setup());
process.argv.splice(2, 0, 'serve');
await import('../dist/bin/stanchion.js');

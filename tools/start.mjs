// `npm start`: sets up, then serves. In this process, so that the signals npm passes on reach the server itself.

import { exitOnFailure, setup } from './setup.mjs';

exitOnFailure(() => setup());
process.argv.splice(2, 0, 'serve');
await import('../dist/bin/stanchion.js');

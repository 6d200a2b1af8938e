import { measureEcho } from '../baselines/baselines.ts';
import { pinsOf } from '../processes/pins.ts';
import { type Throughput, withQueue } from './throughput.ts';

/** Long enough for a median. */
const ECHO_SECONDS = 1;
const WARM_CONNECTIONS = 16;
const SETTLE_SECONDS = 0.5;

/** One message at a time, while as many receives wait as there are connections. */
export const wakeUp: Throughput = {
  batches: ['one'],
  measure: (setting) =>
    withQueue(setting, setting.options.groups[0] ?? 0, async (queue) => {
      const { options, each, session } = setting;
      const { seconds, warmupSeconds } = options;
      const { connections, bodyBytes } = each;
      // What a request takes when nothing else is under way, as here.
      const alone = { connections: 1, bodyBytes, seconds: ECHO_SECONDS, warmupSeconds: ECHO_SECONDS };
      const echo = await measureEcho(alone, pinsOf(options.pin));
      const requestMs = echo.requests.SendMessage?.latency.p50 ?? 0;
      const name = `${connections} ${connections === 1 ? 'receive waits' : 'receives wait'}`;
      // Messages one at a time do not warm a server up.
      const busy = [{ step: 'lifecycle', connections: WARM_CONNECTIONS }] as const;
      await session.load.call('measure', { name, queue, roles: busy, seconds: warmupSeconds, warmupSeconds: 0 });
      const plan = { name, queue, connections, seconds, warmupSeconds: SETTLE_SECONDS, requestMs };
      const result = await session.watched(() => session.load.call('measureWakeUps', plan));
      return [{ ...result, batch: 'one' }];
    }),
};

import { measureEcho } from '../baselines/baselines.ts';
import { pinsOf } from '../processes/pins.ts';
import { type Throughput, withQueue } from './throughput.ts';

/** Long enough for a median. */
const ECHO_SECONDS = 1;

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
      const plan = { name, queue, connections, seconds, warmupSeconds, requestMs };
      const result = await session.watched(() => session.load.call('measureWakeUps', plan));
      return [{ ...result, batch: 'one' }];
    }),
};

import { QueueServer } from '../../../src/channel/queue-server.ts';
import { RemoteQueueService } from '../../../src/channel/remote-queue-service.ts';
import { realPlatform } from '../../../src/platform/real.ts';
import { socketPair } from '../../support/socket-pair.ts';
import { openShardUnderTest, queueServiceSuite } from './suite.ts';

queueServiceSuite('a shard at the other end of a channel', async () => {
  const shard = await openShardUnderTest();
  const [near, far] = await socketPair();
  new QueueServer(shard.queues, realPlatform()).serve(far);
  return {
    ...shard,
    queues: new RemoteQueueService(near, realPlatform()),
    async close() {
      near.destroy();
      await shard.close();
    },
  };
});

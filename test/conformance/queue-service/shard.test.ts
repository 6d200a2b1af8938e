import { openShardUnderTest, queueServiceSuite } from './suite.ts';

queueServiceSuite('a shard in this process', openShardUnderTest);

import { expect, it } from 'vitest';
import { ReplySpace } from './reply-space.ts';
import { Room } from './room.ts';

it('takes no room any more once it has been released', async () => {
  const room = new Room(100);
  room.tryTake(100);
  const space = new ReplySpace(room, 'awsJson1_0');
  const waiting = space.reserve(50);
  expect(waiting).toBeInstanceOf(Promise);
  // The commit that goes with the receive has failed: nobody wants the contents any more.
  space.release();
  room.giveBack(100);
  expect(room.taken).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { violationsOf } from './checks.ts';
import { type Delivery, History, type Receive, type Send } from './history.ts';

/** A history that keeps every promise, for a test to break one. */
class Story extends History {
  #time = 0;

  constructor() {
    super({
      orders: { fifo: false, deadLetter: { queue: 'dead', maxReceiveCount: 2 } },
      dead: { fifo: false },
      'ledger.fifo': { fifo: true },
    });
  }

  /** Every request takes a millisecond. */
  #request() {
    const askedAt = this.#time;
    this.#time += 1;
    return { askedAt, answeredAt: this.#time };
  }

  wait(ms: number): void {
    this.#time += ms;
  }

  send(body: string, rest: Partial<Send> = {}): void {
    this.sends.push({ ...this.#request(), queue: 'orders', body, delayMs: 0, messageId: `id-${body}`, ...rest });
  }

  /** `a0`, `a1`: the first messages of group a. */
  sendFifo(body: string, rest: Partial<Send> = {}): void {
    this.send(body, {
      queue: 'ledger.fifo',
      group: body[0]!,
      position: Number(body[1]),
      deduplicationId: body,
      sequenceNumber: `1${this.sends.length}`,
      ...rest,
    });
  }

  receive(queue: string, ...deliveries: (string | Partial<Delivery>)[]): Receive {
    const receive = {
      ...this.#request(),
      queue,
      visibilityMs: 1000,
      kills: 0,
      deliveries: deliveries.map((given) => {
        const { body = '', ...rest } = typeof given === 'string' ? { body: given } : given;
        return { body, messageId: `id-${body}`, receiveCount: 1, ...rest };
      }),
    };
    this.receives.push(receive);
    return receive;
  }

  delete(receive: Receive, outcome: 'deleted' | 'expired' | 'lost' = 'deleted'): void {
    const { queue } = receive;
    const answer = outcome === 'lost' ? { answeredAt: undefined } : { outcome };
    for (const { body } of receive.deliveries) {
      this.deletes.push({ ...this.#request(), queue, body, receive, kills: 0, ...answer });
    }
  }

  change(receive: Receive, timeoutMs: number): void {
    const { queue, deliveries } = receive;
    for (const { body } of deliveries) {
      this.changes.push({ ...this.#request(), queue, body, timeoutMs, outcome: 'changed' });
    }
  }
}

/** The names of the checks that found something. */
function brokenBy(tell: (story: Story) => void): string[] {
  const story = new Story();
  tell(story);
  return [...new Set(violationsOf(story).map((violation) => violation.split(':')[0]!))];
}

describe('violationsOf', () => {
  it('finds nothing in a history without faults', () => {
    const broken = brokenBy((story) => {
      story.send('x');
      story.send('y', { answeredAt: undefined, messageId: undefined });
      for (const body of ['a0', 'a1', 'b0', 'a2']) story.sendFifo(body);
      story.sendFifo('a1', { messageId: 'id-a1', sequenceNumber: '13' });
      story.delete(story.receive('ledger.fifo', 'a0', 'b0'));
      story.receive('ledger.fifo', 'a1');
      story.change(story.receive('orders', 'x'), 0);
      story.receive('orders', { body: 'x', receiveCount: 2 });
      story.wait(1000);
      story.delete(story.receive('ledger.fifo', { body: 'a1', receiveCount: 2 }, 'a2'));
      story.delete(story.receive('dead', { body: 'x', receiveCount: 3, deadLetterSource: 'arn:orders' }));
    });
    expect(broken).toEqual([]);
  });

  it.each<[string, (story: Story) => void]>([
    ['nothingIsInvented', (story) => story.delete(story.receive('orders', 'x'))],
    [
      'nothingIsInvented',
      (story) => {
        story.send('x', { messageId: 'another' });
        story.delete(story.receive('orders', 'x'));
      },
    ],
    [
      'nothingIsInvented',
      (story) => {
        story.send('x');
        story.delete(story.receive('ledger.fifo', 'x'));
      },
    ],
    ['nothingIsLost', (story) => story.send('x')],
    [
      'nothingIsLost',
      (story) => {
        story.send('x', { answeredAt: undefined });
        story.delete(story.receive('orders', 'x'), 'expired');
      },
    ],
    [
      'deletedStaysDeleted',
      (story) => {
        story.send('x');
        story.delete(story.receive('orders', 'x'));
        story.wait(1000);
        story.receive('orders', { body: 'x', receiveCount: 2 });
      },
    ],
    [
      'groupsAreInOrder',
      (story) => {
        story.sendFifo('a0');
        story.sendFifo('a1');
        story.delete(story.receive('ledger.fifo', 'a1', 'a0'));
      },
    ],
    [
      'groupsAreInOrder',
      (story) => {
        story.sendFifo('a0');
        story.sendFifo('a1');
        story.delete(story.receive('ledger.fifo', 'a1'));
        story.delete(story.receive('ledger.fifo', 'a0'));
      },
    ],
    [
      'groupsAreInOrder',
      (story) => {
        for (const body of ['a0', 'a1', 'a2']) story.sendFifo(body);
        story.delete(story.receive('ledger.fifo', 'a0', 'a2'));
        story.delete(story.receive('ledger.fifo', 'a1'));
      },
    ],
    [
      'groupsAreInOrder',
      (story) => {
        // The lost delete did not happen, as the last receive shows.
        story.sendFifo('a0');
        story.sendFifo('a1');
        story.delete(story.receive('ledger.fifo', 'a0'), 'lost');
        story.delete(story.receive('ledger.fifo', 'a1'));
        story.wait(1000);
        story.delete(story.receive('ledger.fifo', { body: 'a0', receiveCount: 2 }));
      },
    ],
    [
      'visibilityHolds',
      (story) => {
        story.send('x');
        story.receive('orders', 'x');
        story.wait(900);
        story.delete(story.receive('orders', { body: 'x', receiveCount: 2 }));
      },
    ],
    [
      'visibilityHolds',
      (story) => {
        story.send('x');
        story.change(story.receive('orders', 'x'), 5000);
        story.wait(2000);
        story.delete(story.receive('orders', { body: 'x', receiveCount: 2 }));
      },
    ],
    [
      'handlesHold',
      (story) => {
        story.sendFifo('a0');
        const receive = story.receive('ledger.fifo', 'a0');
        story.delete(receive, 'expired');
        story.delete(receive);
      },
    ],
    [
      'delaysHold',
      (story) => {
        story.send('x', { delayMs: 1000 });
        story.wait(900);
        story.delete(story.receive('orders', 'x'));
      },
    ],
    [
      'oneMessagePerDeduplicationId',
      (story) => {
        story.sendFifo('a0');
        story.delete(story.receive('ledger.fifo', 'a0'));
        story.sendFifo('a0', { sequenceNumber: '19' });
      },
    ],
    [
      'oneMessagePerDeduplicationId',
      (story) => {
        story.sendFifo('a0', { sequenceNumber: '12' });
        story.sendFifo('a1', { sequenceNumber: '11' });
        story.delete(story.receive('ledger.fifo', 'a0', 'a1'));
      },
    ],
    [
      'receiveCountsAreRight',
      (story) => {
        story.send('x');
        story.receive('orders', 'x');
        story.wait(1000);
        story.delete(story.receive('orders', 'x'));
      },
    ],
    [
      'receiveCountsAreRight',
      (story) => {
        story.send('x');
        story.delete(story.receive('orders', { body: 'x', receiveCount: 2 }));
      },
    ],
    [
      'deadLettersMoveOnce',
      (story) => {
        story.send('x');
        story.delete(story.receive('dead', { body: 'x', deadLetterSource: 'arn:orders' }));
      },
    ],
    [
      'deadLettersMoveOnce',
      (story) => {
        story.send('x');
        for (const receiveCount of [1, 2, 3]) {
          story.receive('orders', { body: 'x', receiveCount });
          story.wait(1000);
        }
        story.delete(story.receive('dead', { body: 'x', receiveCount: 4, deadLetterSource: 'arn:orders' }));
      },
    ],
  ])('%s (%#)', (check, tell) => {
    expect(brokenBy(tell)).toContain(check);
  });

  it('knows that a receive whose answer was lost may count', () => {
    const broken = brokenBy((story) => {
      story.send('x');
      const lost = story.receive('orders');
      delete lost.answeredAt;
      story.delete(story.receive('orders', { body: 'x', receiveCount: 2 }));
    });
    expect(broken).toEqual([]);
  });
});

/** What can happen to the two queues of a `World`, each as a command that tells the model what was observed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NewMessage } from '../../src/queue/message.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { Between, KnownReceipt, Model, World } from './harness.ts';
import type { NaiveMessage, NaiveQueue, NaiveSettings } from './naive-queue.ts';

export type QueueCommand = fc.Command<Model, World>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Counts of messages are right to this when a FIFO queue has a delay, see `SendHistory`. */
const DELAY_COUNT_STEP_MS = 100;

/** A command that is possible at any time and shows its arguments in a counterexample. */
function command(name: string, args: object, run: (model: Model, world: World) => void): QueueCommand {
  return { check: () => true, run, toString: () => `${name} ${JSON.stringify(args)}` };
}

// ---- commands of clients ----------------------------------------------------------------------------------------

interface SendEntry {
  group: number;
  dedup: number;
  /** Milliseconds; standard queues only. */
  delayMs?: number;
}

export function send(index: number, entries: readonly SendEntry[]): QueueCommand {
  return command('send', { index, entries }, (model, world) => {
    const queue = naive(model, index);
    const { fifo } = queue.settings;
    const messages = entries.map(({ group, dedup, delayMs }): NewMessage => {
      const messageId = world.newMessageId();
      const groupId = fifo || group > 0 ? `g${group}` : undefined;
      const deduplicationId = fifo ? `d${dedup}` : undefined;
      return { messageId, body: '', bodyMd5: '', attributes: [], senderId: '', groupId, deduplicationId, delayMs };
    });
    world.answerDedup(model, index, messages);
    const { result, moment } = world.run(model, index, (real) => real.send(messages, world.now));
    queue.send(messages, result, moment);
    world.seal(model);
  });
}

interface ReceiveArgs {
  max: number;
  visibilityTimeoutMs: number;
  attempt: number;
}

function receive(index: number, args: ReceiveArgs): QueueCommand {
  return command('receive', { index, ...args }, (model, world) => {
    doReceive(model, world, index, args);
  });
}

/** Returns the receipts of what was received. */
function doReceive(model: Model, world: World, index: number, args: ReceiveArgs): KnownReceipt[] {
  const queue = naive(model, index);
  const { max, visibilityTimeoutMs, attempt } = args;
  const attemptId = queue.settings.fifo && attempt > 0 ? `a${attempt}` : undefined;
  const redrive = world.redrive[index];
  const deadLetter = redrive && { queue: world.queue(redrive.target), maxReceiveCount: redrive.maxReceiveCount };
  const { result, moment, changes, isPaging } = world.run(model, index, (real) =>
    real.receive({ maxMessages: max, visibilityTimeoutMs, attemptId }, deadLetter, world.now),
  );
  const moved = changes.flatMap((change) =>
    change.kind === 'message.move' ? [{ seq: change.from.seq, toSeq: change.at.seq }] : [],
  );
  queue.receive(
    {
      max,
      visibilityTimeoutMs,
      attemptId,
      deadLetter: redrive && { target: naive(model, redrive.target), maxReceiveCount: redrive.maxReceiveCount },
      inFlightMax: world.limits.inFlightMax,
      received: result,
      moved,
      isComplete: !isPaging && (result.length === 0 || world.holdsFullReceives),
    },
    moment,
  );
  world.seal(model);
  if (result === 'over-limit') return [];
  const receipts = result.map((received) => ({ index, commit: moment.commit, ...received }));
  world.receipts.push(...receipts);
  return receipts;
}

function deleteMessages(index: number, picks: readonly number[]): QueueCommand {
  return command('delete', { index, picks }, (model, world) => {
    const known = world.knownReceipts(index);
    if (known.length === 0) return;
    doDelete(
      model,
      world,
      index,
      picks.map((pick) => known[pick % known.length] as KnownReceipt),
    );
  });
}

function doDelete(model: Model, world: World, index: number, receipts: readonly KnownReceipt[]): void {
  const { result, moment } = world.run(model, index, (real) => real.delete(receipts, world.now));
  receipts.forEach((receipt, position) => {
    naive(model, index).delete(receipt, result[position] as 'deleted' | 'expired', moment);
  });
  world.seal(model);
}

function changeVisibility(index: number, pick: number, timeoutMs: number): QueueCommand {
  return command('changeVisibility', { index, pick, timeoutMs }, (model, world) => {
    const known = world.knownReceipts(index);
    const receipt = known[pick % known.length];
    if (receipt === undefined) return;
    const { result, moment } = world.run(model, index, (real) => real.changeVisibility(receipt, timeoutMs, world.now));
    naive(model, index).changeVisibility(receipt, timeoutMs, result, moment);
    world.seal(model);
  });
}

function purge(index: number): QueueCommand {
  return command('purge', { index }, (model, world) => {
    world.run(model, index, (real) => real.purge(world.now));
    naive(model, index).purge();
    world.seal(model);
  });
}

function changeSettings(index: number, change: Partial<NaiveSettings>): QueueCommand {
  return command('changeSettings', { index, ...change }, (model, world) => {
    const queue = naive(model, index);
    // What was due under the old settings is done under the old settings.
    world.doDueWork(model);
    const settings = { ...queue.settings, ...change };
    // Only ever shorter: a longer retention may or may not bring back what has expired and nobody has come across yet.
    settings.retentionMs = Math.min(settings.retentionMs, queue.settings.retentionMs);
    if (settings.delayMs > queue.settings.delayMs) world.delayedIsInexactUntil = world.now + 15 * MINUTE;
    world.run(model, index, (real) => real.changeSettings(settings, world.now));
    queue.expire(world.now);
    queue.settings = settings;
    world.seal(model);
  });
}

function setRedrive(index: number, target: number | undefined, maxReceiveCount: number): QueueCommand {
  return command('setRedrive', { index, target, maxReceiveCount }, (_model, world) => {
    world.redrive[index] = target === undefined ? undefined : { target, maxReceiveCount };
  });
}

// ---- commands of move tasks -------------------------------------------------------------------------------------

function takeForMove(index: number, max: number): QueueCommand {
  return command('takeForMove', { index, max }, (model, world) => {
    const { result, moment, isPaging } = world.run(model, index, (real) => real.takeForMove(max, world.now));
    naive(model, index).takeForMove(result, max, !isPaging && (result.length === 0 || world.holdsFullReceives), moment);
    world.held.push(...result.map((entry) => ({ index, entry })));
    world.seal(model);
  });
}

function finishMove(pick: number, target: number): QueueCommand {
  return command('finishMove', { pick, target }, (model, world) => {
    // The engine moves what it has taken within a turn or two; what expires in between is not its business.
    world.doDueWork(model);
    const held = world.held[pick % world.held.length];
    if (held === undefined) return;
    world.held = world.held.filter((other) => other !== held);
    const messageId = world.newMessageId();
    const { moment, changes } = world.run(model, held.index, (real: Queue) =>
      real.finishMove(held.entry, world.queue(target), messageId, world.now),
    );
    const toSeqs = changes.flatMap((change) => (change.kind === 'message.move' ? [change.at.seq] : []));
    naive(model, held.index).finishMove(held.entry.seq, toSeqs[0], naive(model, target), messageId, moment);
    world.seal(model);
  });
}

function returnMove(pick: number): QueueCommand {
  return command('returnMove', { pick }, (model, world) => {
    const held = world.held[pick % world.held.length];
    if (held !== undefined) doReturnMove(model, world, held);
  });
}

function doReturnMove(model: Model, world: World, held: World['held'][number]): void {
  world.held = world.held.filter((other) => other !== held);
  world.run(model, held.index, (real) => real.returnMove(held.entry, world.now));
  naive(model, held.index).returnMove(held.entry.seq);
  world.seal(model);
}

// ---- what the world does ----------------------------------------------------------------------------------------

function complete(count: number, between: Between): QueueCommand {
  return command('complete', { count, between }, (model, world) => world.complete(model, count, between));
}

function readPage(pick: number): QueueCommand {
  return command('readPage', { pick }, (_model, world) => world.readPage(pick));
}

function deliverPage(pick: number): QueueCommand {
  return command('deliverPage', { pick }, (model, world) => world.deliverPage(model, pick));
}

function reclaim(index: number): QueueCommand {
  return command('reclaim', { index }, (model, world) => world.reclaim(model, index));
}

/** `doesDueWork`: the timer fires before the next command comes. */
function pass(ms: number, doesDueWork: boolean): QueueCommand {
  return command('pass', { ms, doesDueWork }, (model, world) => {
    world.passTo(model, world.now + ms);
    if (doesDueWork) world.doDueWork(model);
  });
}

/** Goes to the next deadline of a queue, or a millisecond before or behind it. */
function passToDeadline(index: number, offsetMs: number): QueueCommand {
  return command('passToDeadline', { index, offsetMs }, (model, world) => {
    const deadline = world.queue(index).nextDeadline();
    if (deadline === Number.POSITIVE_INFINITY) return;
    world.passTo(model, deadline + offsetMs);
    world.doDueWork(model);
  });
}

export function restart(applied: number, recount: boolean): QueueCommand {
  return command('restart', { applied, recount }, (model, world) => {
    // No restart is over in no time.
    world.passTo(model, world.now + 1);
    world.restart(model, applied, recount);
  });
}

/** Lets everything come to rest, and compares the store and what the queues say of themselves with the model. */
export function rest(): QueueCommand {
  return command('rest', {}, (model, world) => {
    world.settle(model);
    checkDedups(world);
    model.queues.forEach((_, index) => {
      checkStore(model, world, index);
      checkAttempts(model, world, index);
      checkCounts(model, world, index);
      checkWakeUp(model, world, index);
    });
  });
}

function checkStore(model: Model, world: World, index: number): void {
  const { now } = world;
  const queue = naive(model, index);
  queue.expire(now);
  const queueId = index + 1;
  const { retentionMs } = queue.settings;
  // Of a backlog beyond the window, those that have expired are there until somebody comes across them.
  const live = world.store.live(queueId);
  const rows = live.filter(({ timing }) => timing.retentionFrom + retentionMs > now);
  if (world.holdsFullReceives) assert.equal(rows.length, live.length, 'what has expired is gone');
  assert.deepEqual(
    rows.map(({ at, timing, content }) => ({
      seq: at.seq,
      messageId: content.messageId,
      groupId: content.groupId,
      deduplicationId: content.deduplicationId,
      deadLetterSourceArn: content.deadLetterSourceArn,
      ...timing,
    })),
    queue.messages.map((message) => ({
      seq: message.seq,
      messageId: message.messageId,
      groupId: message.groupId,
      deduplicationId: message.deduplicationId,
      deadLetterSourceArn: message.deadLetterSourceArn,
      sentAt: message.sentAt,
      retentionFrom: message.retentionFrom,
      dueAt: message.dueAt,
      receivesBefore: message.receivesBefore,
      firstReceivedBefore: message.firstReceivedBefore,
    })),
    'the messages in the store',
  );
  const { purgedBelow } = world.store.counters(queueId);
  const deliveries = world.store.deliveries
    .filter(({ at }) => at.queueId === queueId && at.seq >= purgedBelow)
    .toSorted((a, b) => a.at.seq - b.at.seq);
  assert.deepEqual(
    deliveries.map(({ at, delivery }) => ({ seq: at.seq, ...delivery })),
    queue.messages.filter(({ receivedAt }) => receivedAt !== 0).map(deliveryOf),
    'the delivery records',
  );
  const delays = world.store.delays.filter(({ at }) => at.queueId === queueId && at.seq >= purgedBelow);
  const isKept = ({ at }: { at: { seq: number } }) => queue.find(at.seq) !== undefined;
  assert.deepEqual(
    delays
      .filter(isKept)
      .map(({ at }) => at.seq)
      .toSorted((a, b) => a - b),
    queue.messages.filter(({ dueAt }) => dueAt > now).map(({ seq }) => seq),
    'the delay index',
  );
}

/** An id blocks its like for five minutes; twenty minutes after its use at the latest it is swept out. */
function checkDedups(world: World): void {
  for (const { queueId, record } of world.store.dedups) {
    // What a purge has left is reclaimed with its messages.
    if (record.seq < world.store.counters(queueId).purgedBelow) continue;
    assert.ok(record.sentAt >= world.now - 20 * MINUTE, 'deduplication ids are swept out of the store');
  }
}

/** What can still be replayed after a restart. */
function checkAttempts(model: Model, world: World, index: number): void {
  const rows = world.store.attempts.filter((row) => row.queueId === index + 1);
  assert.deepEqual(
    rows
      .filter(({ record }) => record.at > world.now - 5 * MINUTE)
      .map(({ id }) => id)
      .toSorted(),
    naive(model, index).attemptIds(world.now).toSorted(),
    'the receive attempts in the store',
  );
}

function deliveryOf({ seq, receiveCount, firstReceivedAt, receivedAt, visibleAt }: NaiveMessage): object {
  return { seq, receiveCount, firstReceivedAt, receivedAt, visibleAt };
}

function checkCounts(model: Model, world: World, index: number): void {
  const { now } = world;
  const queue = naive(model, index);
  const real = world.queue(index);
  const { visible, inFlight, delayed } = real.counts(now);
  assert.equal(visible + inFlight + delayed, world.store.live(index + 1).length, 'all messages are counted');
  assert.equal(inFlight, queue.inFlight(now).length, 'messages in flight');
  const delayedAt = (at: number) =>
    queue.messages.filter((message) => queue.isDelayed(message, at) && !queue.inFlight(now).includes(message)).length;
  if (!queue.settings.fifo) {
    const { purgedBelow } = world.store.counters(index + 1);
    const rows = world.store.delays.filter(({ at }) => at.queueId === index + 1 && at.seq >= purgedBelow);
    assert.equal(delayed, rows.length, 'delayed messages');
    assert.ok(delayed >= delayedAt(now), 'delayed messages that have not expired');
  } else if (now >= world.delayedIsInexactUntil) {
    assert.ok(delayed <= delayedAt(now), `${delayed} delayed messages of ${delayedAt(now)}`);
    assert.ok(delayed >= delayedAt(now + DELAY_COUNT_STEP_MS), `${delayed} delayed messages`);
  }
}

/** Whoever waits is woken: now if there is something to receive, else when there will be. */
function checkWakeUp(model: Model, world: World, index: number): void {
  const { now } = world;
  const queue = naive(model, index);
  const real = world.queue(index);
  const deliverableAt = (at: number) => queue.deliverable({ now: at, durable: Number.POSITIVE_INFINITY });
  if (deliverableAt(now).length > 0) {
    assert.ok(real.hasReady, 'messages can be received and the queue says that none is ready');
  } else if (world.holdsFullReceives) {
    const times = queue.messages.flatMap((message) => timesOf(queue, message)).filter((at) => at > now);
    const next = times.toSorted((a, b) => a - b).find((at) => deliverableAt(at).length > 0);
    assert.ok(real.nextDeadline() <= (next ?? Number.POSITIVE_INFINITY), 'the next deadline comes too late');
  }
}

/** When a message may become deliverable, as far as it depends on itself. */
function timesOf({ settings }: NaiveQueue, { visibleAt, dueAt, retentionFrom }: NaiveMessage): number[] {
  return [visibleAt, dueAt, settings.fifo ? retentionFrom + settings.delayMs : 0];
}

/**
 * The end of every run: consumers receive and delete until nothing is left. Whatever happened before, every message
 * comes out, and then the store is empty.
 */
export function drain(model: Model, world: World): void {
  rest().run(model, world);
  for (const held of world.held) doReturnMove(model, world, held);
  world.redrive = [undefined, undefined];
  for (let rounds = 0; ; rounds++) {
    assert.ok(rounds < 1000, 'the queues run dry');
    world.settle(model);
    let count = 0;
    model.queues.forEach((_, index) => {
      const receipts = doReceive(model, world, index, { max: 10, visibilityTimeoutMs: 60_000, attempt: 0 });
      world.settle(model);
      if (receipts.length > 0) doDelete(model, world, index, receipts);
      count += receipts.length;
    });
    if (count > 0) continue;
    const later = model.queues.flatMap((queue) => {
      queue.expire(world.now);
      return queue.messages.flatMap((message) => timesOf(queue, message));
    });
    if (model.queues.every(({ messages }) => messages.length === 0)) break;
    const next = later.filter((at) => at > world.now);
    assert.ok(next.length > 0, 'what is left can be received at some time');
    world.passTo(model, Math.min(...next));
    world.doDueWork(model);
  }
  rest().run(model, world);
}

function naive(model: Model, index: number): NaiveQueue {
  return model.queues[index] as NaiveQueue;
}

// ---- arbitraries ------------------------------------------------------------------------------------------------

/** Most of it happens to the first queue; the second is its dead-letter queue more often than not. */
const someQueue = fc.constantFrom(0, 0, 0, 1);
const recent = fc.oneof(fc.nat(3), fc.nat(50));
const timeoutMs = fc.constantFrom(30 * SECOND, 1, SECOND, 0, 5 * MINUTE, 12 * HOUR - 5 * SECOND, 12 * HOUR);
const between = fc.constantFrom<Between>('nothing', 'read', 'deliver');
const spanMs = fc.oneof(
  fc.constantFrom(1, SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 12 * HOUR),
  fc.nat(2 * SECOND),
);
const messageDelayMs = fc.option(fc.constantFrom(0, SECOND, 2 * SECOND, MINUTE, 15 * MINUTE), { nil: undefined });
const sendEntry = fc.record({ group: fc.nat(3), dedup: fc.nat(30), delayMs: messageDelayMs });

/** `weight` times the same command: how often it comes up. */
function times(weight: number, arbitrary: fc.Arbitrary<QueueCommand>): fc.Arbitrary<QueueCommand>[] {
  return Array.from({ length: weight }, () => arbitrary);
}

export function queueCommands(maxCommands: number): fc.Arbitrary<Iterable<QueueCommand>> {
  return fc.commands(
    [
      ...times(6, fc.tuple(someQueue, fc.array(sendEntry, { minLength: 1, maxLength: 10 })).map(spread(send))),
      ...times(
        6,
        fc
          .tuple(
            someQueue,
            fc.record({ max: fc.integer({ min: 1, max: 10 }), visibilityTimeoutMs: timeoutMs, attempt: fc.nat(3) }),
          )
          .map(spread(receive)),
      ),
      ...times(3, fc.tuple(someQueue, fc.array(recent, { minLength: 1, maxLength: 10 })).map(spread(deleteMessages))),
      ...times(3, fc.tuple(someQueue, recent, timeoutMs).map(spread(changeVisibility))),
      ...times(5, fc.tuple(fc.oneof(fc.constant(100), fc.nat(3)), between).map(spread(complete))),
      ...times(3, fc.nat(5).map(readPage)),
      ...times(3, fc.nat(5).map(deliverPage)),
      ...times(3, fc.tuple(spanMs, fc.boolean()).map(spread(pass))),
      ...times(3, fc.tuple(someQueue, fc.constantFrom(0, -1, 1)).map(spread(passToDeadline))),
      ...times(2, fc.tuple(fc.nat(3), fc.boolean()).map(spread(restart))),
      ...times(3, fc.constant(rest())),
      fc.tuple(someQueue).map(spread(purge)),
      fc.tuple(someQueue).map(spread(reclaim)),
      fc
        .tuple(
          someQueue,
          fc.oneof(
            fc.record({ delayMs: fc.constantFrom(0, SECOND, MINUTE, 15 * MINUTE) }),
            fc.record({ retentionMs: fc.constantFrom(MINUTE, HOUR, 4 * 24 * HOUR) }),
          ),
        )
        .map(spread(changeSettings)),
      fc
        .tuple(fc.constantFrom(0, 0, 0, 1), fc.constantFrom(1, 1, 0, undefined), fc.integer({ min: 1, max: 3 }))
        .map(spread(setRedrive)),
      fc.tuple(someQueue, fc.integer({ min: 1, max: 10 })).map(spread(takeForMove)),
      ...times(2, fc.tuple(fc.nat(9), fc.nat(1)).map(spread(finishMove))),
      fc.nat(9).map(returnMove),
    ],
    { maxCommands, size: 'max' },
  );
}

function spread<Args extends unknown[]>(make: (...args: Args) => QueueCommand): (args: Args) => QueueCommand {
  return (args) => make(...args);
}

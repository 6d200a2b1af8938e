import {
  type Delete,
  type Delivery,
  type History,
  isAnswered,
  type Receive,
  type Send,
  type VisibilityChange,
} from './history.ts';

/** What the server's clock of whole milliseconds and the rounding of its timers may take off a deadline. */
const MARGIN_MS = 20;
/** Enough to see what is wrong. */
const VIOLATIONS_SHOWN = 20;

/** One message that some client got hold of, and the receive that brought it. */
interface Seen extends Delivery {
  receive: Receive & { answeredAt: number };
}

/** A history, sorted by message. */
interface Index {
  history: History;
  sends: Map<string, Send[]>;
  /** In the order of asking. */
  seen: Map<string, Seen[]>;
  deletes: Map<string, Delete[]>;
  changes: Map<string, VisibilityChange[]>;
  /** By queue: when receives were asked for whose answer was lost. */
  lostReceives: Map<string, number[]>;
}

type Check = (index: Index) => string[];

const CHECKS: Record<string, Check> = {
  nothingIsInvented,
  nothingIsLost,
  deletedStaysDeleted,
  groupsAreInOrder,
  visibilityHolds,
  handlesHold,
  delaysHold,
  oneMessagePerDeduplicationId,
  receiveCountsAreRight,
  deadLettersMoveOnce,
};

/** Everything in the history that breaks a promise. Wants every queue emptied at the end. */
export function violationsOf(history: History): string[] {
  const index = indexOf(history);
  return Object.entries(CHECKS).flatMap(([name, check]) => {
    const violations = check(index);
    const more = violations.length - VIOLATIONS_SHOWN;
    const shown = violations.slice(0, VIOLATIONS_SHOWN).map((violation) => `${name}: ${violation}`);
    return more > 0 ? [...shown, `${name}: ${more} more`] : shown;
  });
}

function nothingIsInvented({ sends, seen, history }: Index): string[] {
  const violations: string[] = [];
  for (const [body, deliveries] of seen) {
    const sent = sends.get(body);
    if (sent === undefined) {
      violations.push(`${nameOf(body)} was received and never sent`);
      continue;
    }
    const home = sent[0]!.queue;
    const places = placesOf(home, history);
    const ids = new Set(deliveries.map(({ messageId }) => messageId));
    for (const { messageId } of sent) if (messageId !== undefined) ids.add(messageId);
    if (ids.size > 1) violations.push(`${nameOf(body)} has the ids ${[...ids]}`);
    for (const { receive } of deliveries) {
      if (!places.includes(receive.queue)) violations.push(`${nameOf(body)} of ${home} came from ${receive.queue}`);
    }
  }
  return violations;
}

/** What was acknowledged, or seen by anybody, can only have gone by a delete. */
function nothingIsLost({ sends, seen, deletes }: Index): string[] {
  const violations: string[] = [];
  for (const [body, attempts] of sends) {
    const isSeen = seen.has(body);
    if (!isSeen && !attempts.some(isAnswered)) continue;
    const isDeleted = deletes.get(body)?.some(mayHaveDeleted) === true;
    if (!isDeleted) violations.push(`${nameOf(body)} was ${isSeen ? 'received' : 'acknowledged'}, and is lost`);
  }
  return violations;
}

function deletedStaysDeleted({ seen, deletes }: Index): string[] {
  const violations: string[] = [];
  for (const [body, deliveries] of seen) {
    const deletedAt = Math.min(
      ...(deletes.get(body) ?? []).filter((each) => each.outcome === 'deleted').map((each) => each.answeredAt!),
    );
    const back = deliveries.find(({ receive }) => receive.askedAt > deletedAt);
    if (back !== undefined) violations.push(`${nameOf(body)} was received after its deletion`);
  }
  return violations;
}

/** A message is received when every earlier one of its group is gone, or comes before it in the same answer. */
function groupsAreInOrder(index: Index): string[] {
  const violations: string[] = [];
  for (const [group, bodies] of groupsOf(index)) {
    const positions = new Map(bodies.map((body, position) => [body, position]));
    const [{ queue }] = index.sends.get(bodies[0]!) as [Send];
    const presence = bodies.map((body) => presenceOf(body, queue, index));
    // By position: the earliest time from which everything before it may be gone.
    const goneBefore = [0];
    for (const { goneAt, lastAskedAt } of presence) {
      goneBefore.push(Math.max(goneBefore.at(-1)!, goneAt, lastAskedAt));
    }
    for (const receive of index.history.receives) {
      if (!isAnswered(receive) || receive.queue !== queue) continue;
      const here = receive.deliveries.flatMap(({ body }) => positions.get(body) ?? []);
      if (here.length === 0) continue;
      if (here.some((position, at) => at > 0 && position <= here[at - 1]!)) {
        violations.push(`${group}: one answer has the positions ${here}`);
      }
      const isGone = (position: number) => {
        const { goneAt, lastAskedAt } = presence[position]!;
        return goneAt < receive.answeredAt && lastAskedAt <= receive.answeredAt;
      };
      const first = Math.min(...here);
      const last = Math.max(...here);
      let skipsOver = goneBefore[first]! > receive.answeredAt ? 'some before it' : undefined;
      for (let position = first + 1; position < last; position++) {
        if (!here.includes(position) && !isGone(position)) skipsOver = `${position}`;
      }
      if (skipsOver !== undefined) violations.push(`${group}: ${here} received while ${skipsOver} was there`);
    }
  }
  return violations;
}

/** From when a message may have left its queue, and when a receive that still found it there was asked for. */
function presenceOf(body: string, queue: string, { seen, deletes }: Index): { goneAt: number; lastAskedAt: number } {
  const deliveries = seen.get(body) ?? [];
  const isMoved = deliveries.some(({ receive }) => receive.queue !== queue);
  const deletedAt = Math.min(...(deletes.get(body) ?? []).filter(mayHaveDeleted).map((each) => each.askedAt));
  const found = deliveries.filter(({ receive }) => receive.queue === queue).map(({ receive }) => receive.askedAt);
  return { goneAt: isMoved ? 0 : deletedAt, lastAskedAt: Math.max(0, ...found) };
}

/** Bodies of FIFO messages by queue and group, in the order of sending. */
function groupsOf({ sends }: Index): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [body, [send]] of sends) {
    if (send?.group === undefined) continue;
    const key = `${send.queue} ${send.group}`;
    const bodies = groups.get(key) ?? [];
    bodies[send.position!] = body;
    groups.set(key, bodies);
  }
  return groups;
}

/** Nobody gets a message while it is hidden. */
function visibilityHolds(index: Index): string[] {
  const violations: string[] = [];
  for (const [body, deliveries] of index.seen) {
    const changes = (index.changes.get(body) ?? []).filter(mayHaveChanged);
    const isChangedBetween = (start: number, end: number, except?: VisibilityChange) =>
      changes.some((each) => each !== except && each.askedAt < end && (each.answeredAt ?? Infinity) > start);

    deliveries.forEach((earlier, at) => {
      for (const later of deliveries.slice(at + 1)) {
        if (later.receive.askedAt > earlier.receive.askedAt + earlier.receive.visibilityMs) break;
        const isHidden = isWithin(later.receive, earlier.receive);
        const isOrderKnown = later.receive.askedAt >= earlier.receive.answeredAt;
        if (!isHidden || !(isOrderKnown || isWithin(earlier.receive, later.receive))) continue;
        const end = Math.max(earlier.receive.answeredAt, later.receive.answeredAt);
        if (isChangedBetween(earlier.receive.askedAt, end)) continue;
        violations.push(`${nameOf(body)} was received twice: ${describe(earlier)}, ${describe(later)}`);
      }
    });
    for (const change of changes) {
      if (!isAnswered(change) || change.timeoutMs === 0) continue;
      const hidden = { askedAt: change.askedAt, visibilityMs: change.timeoutMs };
      const intruder = deliveries.find(
        ({ receive }) =>
          receive.askedAt >= change.answeredAt &&
          isWithin(receive, hidden) &&
          !isChangedBetween(change.askedAt, receive.answeredAt, change),
      );
      if (intruder === undefined) continue;
      violations.push(
        `${nameOf(body)} was hidden for ${change.timeoutMs} ms at ${change.askedAt}, ${describe(intruder)}`,
      );
    }
  }
  return violations;
}

/** Whether an event lies wholly in the time for which a message was surely hidden. */
function isWithin(event: { answeredAt: number }, hidden: { askedAt: number; visibilityMs: number }): boolean {
  return event.answeredAt < hidden.askedAt + hidden.visibilityMs - MARGIN_MS;
}

/** A handle deletes as long as its delivery is in flight, whatever happened to the server in between. */
function handlesHold(index: Index): string[] {
  return index.history.deletes
    .filter((each) => {
      if (each.outcome !== 'expired') return false;
      const changes = (index.changes.get(each.body) ?? []).filter(mayHaveChanged);
      const change = changes.findLast(({ askedAt }) => askedAt > each.receive.askedAt && askedAt < each.askedAt);
      if (change !== undefined && !isAnswered(change)) return false;
      const hidden = change === undefined ? each.receive : { askedAt: change.askedAt, visibilityMs: change.timeoutMs };
      return isWithin({ answeredAt: each.answeredAt! }, hidden);
    })
    .map(({ body, receive, askedAt }) => `${nameOf(body)}, received at ${receive.askedAt}, refused at ${askedAt}`);
}

function delaysHold({ sends, seen }: Index): string[] {
  const violations: string[] = [];
  for (const [body, [send]] of sends) {
    const soonest = send!.askedAt + send!.delayMs - MARGIN_MS;
    const early = seen.get(body)?.find(({ receive }) => receive.answeredAt < soonest);
    if (early !== undefined) violations.push(`${nameOf(body)} came before its delay of ${send!.delayMs} ms was over`);
  }
  return violations;
}

function oneMessagePerDeduplicationId({ history }: Index): string[] {
  const violations: string[] = [];
  const first = new Map<string, Send>();
  const sequences = new Map<string, string>();
  const latest = new Map<string, string>();
  for (const send of history.sends) {
    if (send.deduplicationId === undefined || send.messageId === undefined) continue;
    const byGroup = history.queues[send.queue]?.deduplicatesByGroup === true;
    const key = `${send.queue} ${byGroup ? send.group : ''} ${send.deduplicationId}`;
    const original = first.get(key);
    if (original !== undefined) {
      const isSame = original.messageId === send.messageId && original.sequenceNumber === send.sequenceNumber;
      if (!isSame) violations.push(`${nameOf(send.body)}: a second message ${send.messageId} for ${key}`);
      continue;
    }
    first.set(key, send);
    const place = `${send.queue} ${send.sequenceNumber}`;
    if (sequences.has(place)) violations.push(`${nameOf(send.body)}: the sequence number ${place} was used before`);
    sequences.set(place, send.body);
    const group = `${send.queue} ${send.group}`;
    if (send.sequenceNumber! <= (latest.get(group) ?? '')) {
      violations.push(`${nameOf(send.body)}: the sequence number ${send.sequenceNumber} does not rise in ${group}`);
    }
    latest.set(group, send.sequenceNumber!);
  }
  return violations;
}

/** Every answered receive counts once, in order; one whose answer was lost may count. */
function receiveCountsAreRight({ sends, seen, lostReceives, history }: Index): string[] {
  const violations: string[] = [];
  for (const [body, deliveries] of seen) {
    const lost = placesOf(sends.get(body)?.[0]?.queue ?? '', history).flatMap((queue) => lostReceives.get(queue) ?? []);
    const counts = deliveries.map(({ receiveCount }) => receiveCount);
    if (new Set(counts).size < counts.length) violations.push(`${nameOf(body)} has the receive counts ${counts}`);
    deliveries.forEach((delivery, at) => {
      const { receive, receiveCount } = delivery;
      const previous = deliveries[at - 1];
      const isAfter = previous !== undefined && receive.askedAt >= previous.receive.answeredAt;
      if (isAfter && receiveCount <= previous.receiveCount) {
        violations.push(`${nameOf(body)}: receive count ${previous.receiveCount}, then ${receiveCount}`);
      }
      const known = deliveries.filter((each) => each.receive.askedAt < receive.answeredAt).length;
      const most = known + lost.filter((askedAt) => askedAt < receive.answeredAt).length;
      if (receiveCount > most) violations.push(`${nameOf(body)}: receive count ${receiveCount} of at most ${most}`);
    });
  }
  return violations;
}

/** A message moves when it was received often enough, not before, once, and never back. */
function deadLettersMoveOnce({ sends, seen, history }: Index): string[] {
  const violations: string[] = [];
  for (const [body, deliveries] of seen) {
    const home = sends.get(body)?.[0]?.queue ?? '';
    const max = history.queues[home]?.deadLetter?.maxReceiveCount ?? Infinity;
    const moved = deliveries.find(({ receive }) => receive.queue !== home);
    for (const { receive, receiveCount, deadLetterSource } of deliveries) {
      if (receive.queue !== home) {
        if (receiveCount <= max) violations.push(`${nameOf(body)} was moved after ${receiveCount - 1} receives`);
        if (!deadLetterSource?.endsWith(`:${home}`)) violations.push(`${nameOf(body)} came from ${deadLetterSource}`);
      } else if (receiveCount > max) {
        violations.push(`${nameOf(body)} was received from ${home} ${receiveCount} times`);
      } else if (moved !== undefined && receive.askedAt > moved.receive.answeredAt) {
        violations.push(`${nameOf(body)} was received from ${home} after its move`);
      }
    }
  }
  return violations;
}

function indexOf(history: History): Index {
  const index: Index = {
    history,
    sends: new Map(),
    seen: new Map(),
    deletes: new Map(),
    changes: new Map(),
    lostReceives: new Map(),
  };
  for (const send of history.sends) append(index.sends, send.body, send);
  for (const receive of history.receives) {
    if (!isAnswered(receive)) append(index.lostReceives, receive.queue, receive.askedAt);
    else for (const delivery of receive.deliveries) append(index.seen, delivery.body, { ...delivery, receive });
  }
  for (const each of history.deletes) append(index.deletes, each.body, each);
  for (const each of history.changes) append(index.changes, each.body, each);
  for (const list of index.seen.values()) list.sort((a, b) => a.receive.askedAt - b.receive.askedAt);
  return index;
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The queues in which a message of one queue may be. */
function placesOf(queue: string, history: History): string[] {
  const deadLetter = history.queues[queue]?.deadLetter;
  return deadLetter === undefined ? [queue] : [queue, deadLetter.queue];
}

function mayHaveDeleted({ outcome }: Delete): boolean {
  return outcome !== 'expired';
}

function mayHaveChanged({ outcome }: VisibilityChange): boolean {
  return outcome !== 'refused';
}

function describe({ receive, receiveCount }: Seen): string {
  const { queue, askedAt, answeredAt, visibilityMs } = receive;
  const times = `${askedAt.toFixed()} to ${answeredAt.toFixed()}`;
  return `receive ${receiveCount} from ${queue} from ${times} for ${visibilityMs} ms`;
}

/** Bodies begin with a name; the rest is filling. */
function nameOf(body: string): string {
  return body.split(' ', 1)[0]!;
}

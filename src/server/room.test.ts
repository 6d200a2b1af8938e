import { describe, expect, it } from 'vitest';
import { Room } from './room.ts';

describe('a room', () => {
  it('has room up to its capacity', () => {
    const room = new Room(10);
    expect(room.tryTake(6)).toBe(true);
    expect(room.tryTake(5)).toBe(false);
    expect(room.tryTake(4)).toBe(true);
    expect(room.taken).toBe(10);
  });

  it('lets those who wait in as others leave, in order', () => {
    const room = new Room(10);
    const admitted: string[] = [];
    room.tryTake(6);
    room.tryTake(4);
    room.wait(5, () => admitted.push('first'));
    room.wait(1, () => admitted.push('second'));
    room.giveBack(4);
    expect(admitted).toEqual([]);
    room.giveBack(6);
    expect(admitted).toEqual(['first', 'second']);
    expect(room.taken).toBe(6);
  });

  it('lets nobody overtake those who wait', () => {
    const room = new Room(10);
    room.tryTake(8);
    room.wait(5, () => {});
    expect(room.tryTake(1)).toBe(false);
  });

  it('lets the next one in when the first gives up', () => {
    const room = new Room(10);
    const admitted: string[] = [];
    room.tryTake(8);
    const giveUp = room.wait(5, () => admitted.push('first'));
    room.wait(2, () => admitted.push('second'));
    giveUp();
    giveUp();
    expect(admitted).toEqual(['second']);
    expect(room.taken).toBe(10);
  });

  it('gives all to one that needs more than there is, when it is alone', () => {
    const room = new Room(10);
    expect(room.tryTake(50)).toBe(true);
    expect(room.tryTake(1)).toBe(false);
    room.giveBack(50);
    room.tryTake(1);
    let isAdmitted = false;
    room.wait(50, () => {
      isAdmitted = true;
    });
    expect(isAdmitted).toBe(false);
    room.giveBack(1);
    expect(isAdmitted).toBe(true);
  });
});

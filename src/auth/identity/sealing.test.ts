import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sealer } from './sealing.ts';

const master = Buffer.alloc(32, 7);
const sealer = new Sealer(master, 'secret-access-key', randomBytes);

describe('Sealer', () => {
  it('opens what it has sealed, also in another process', () => {
    const sealed = sealer.seal('geheim ü', 'AKIA1');
    expect(sealed).not.toContain('geheim');
    expect(sealer.open(sealed, 'AKIA1')).toBe('geheim ü');
    expect(new Sealer(master, 'secret-access-key', randomBytes).open(sealed, 'AKIA1')).toBe('geheim ü');
  });

  it('keeps its layout, so that what an earlier version has sealed opens', () => {
    const sealed = 'AQAAAAAAAAAAAAAAAItoEGhZl7Grb/W2eo3MgDnoyoT1V7aRnQ==';
    expect(new Sealer(master, 'secret-access-key', (length) => new Uint8Array(length)).seal('a secret', 'AKIA1')).toBe(
      sealed,
    );
    expect(sealer.open(sealed, 'AKIA1')).toBe('a secret');
  });

  it('seals the same text differently each time', () => {
    expect(sealer.seal('text')).not.toBe(sealer.seal('text'));
  });

  it('does not open what is for another context, purpose or master key', () => {
    const sealed = sealer.seal('text', 'AKIA1');
    expect(sealer.open(sealed, 'AKIA2')).toBeUndefined();
    expect(sealer.open(sealed)).toBeUndefined();
    expect(new Sealer(master, 'session-token', randomBytes).open(sealed, 'AKIA1')).toBeUndefined();
    expect(new Sealer(Buffer.alloc(32, 8), 'secret-access-key', randomBytes).open(sealed, 'AKIA1')).toBeUndefined();
  });

  it('does not open what was changed in any bit', () => {
    const sealed = Buffer.from(sealer.seal('text', 'AKIA1'), 'base64');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(sealer.open(changed.toString('base64'), 'AKIA1')).toBeUndefined();
    }
  });

  it('does not open what is no sealed text, or one in another spelling', () => {
    const sealed = sealer.seal('text');
    const others = [
      '',
      'AQ==',
      'no base64!',
      sealed.slice(0, -8),
      `${sealed}=`,
      `${sealed} `,
      sealed.replace(/=*$/, '===='),
    ];
    for (const other of others) expect(sealer.open(other)).toBeUndefined();
  });

  it('refuses a master key of another length', () => {
    expect(() => new Sealer(Buffer.alloc(16), 'session-token', randomBytes)).toThrow(RangeError);
  });
});

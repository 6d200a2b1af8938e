import { describe, expect, it } from 'vitest';
import { ReadError } from '../engine/queue-service.ts';
import { openEnvelope, Provider, parseEnvelope, Sealer } from './envelope.ts';

const KEY = Buffer.alloc(32, 7);
const PLACE = Buffer.alloc(16, 1);
const CONTENT = Buffer.from('what nobody else may read');
const sealer = () => new Sealer(Provider.keyring, { key: KEY, wrapped: Buffer.from('wrapped') });

describe('an envelope', () => {
  it('gives back what was sealed, and hides it until then', () => {
    const sealed = sealer().seal(CONTENT, PLACE);
    expect(sealed.includes('nobody')).toBe(false);
    expect(parseEnvelope(sealed)).toMatchObject({ provider: Provider.keyring, wrapped: Buffer.from('wrapped') });
    expect(openEnvelope(parseEnvelope(sealed), KEY, PLACE)).toEqual(CONTENT);
  });

  it('holds nothing as well', () => {
    const sealed = sealer().seal(Buffer.alloc(0), PLACE);
    expect(openEnvelope(parseEnvelope(sealed), KEY, PLACE)).toEqual(Buffer.alloc(0));
  });

  it('is refused when any byte of it has changed, or any is missing', () => {
    const sealed = sealer().seal(CONTENT, PLACE);
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] as number) ^ 1;
      expect(() => openEnvelope(parseEnvelope(changed), KEY, PLACE), `byte ${index}`).toThrow(ReadError);
      expect(() => openEnvelope(parseEnvelope(sealed.subarray(0, index)), KEY, PLACE)).toThrow(ReadError);
    }
  });

  it('is refused in the place of another, and with another key', () => {
    const envelope = parseEnvelope(sealer().seal(CONTENT, PLACE));
    expect(() => openEnvelope(envelope, KEY, Buffer.alloc(16, 2))).toThrow('belongs to another message');
    expect(() => openEnvelope(envelope, Buffer.alloc(32, 8), PLACE)).toThrow(ReadError);
  });

  it('never has the nonce of another', () => {
    const one = sealer();
    const nonces = Array.from({ length: 300 }, () => parseEnvelope(one.seal(CONTENT, PLACE)).nonce.toString('hex'));
    expect(new Set(nonces).size).toBe(300);
  });
});

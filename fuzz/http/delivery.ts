import type { RawConnection } from '../../test/support/raw-connection.ts';
import type { Case } from './case.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Writes the requests of a case in its way. */
export async function deliver({ requests, delivery, random }: Case, connection: RawConnection): Promise<void> {
  const bytes = Buffer.concat(requests.map((request) => request.bytes));
  switch (delivery) {
    case 'whole':
      await connection.write(bytes);
      break;
    case 'pieces':
      // Cut where it hurts: inside the head, at its end, inside a character.
      await writePieces(bytes, random.between(2, 5), () => random.below(bytes.length + 1), connection);
      break;
    case 'slow':
      await writePieces(bytes, 50, (index) => Math.floor((bytes.length * index) / 50), connection);
      break;
    case 'cut': {
      await connection.write(bytes.subarray(0, random.below(bytes.length)));
      await nextTurn();
      const way = random.pick(['end', 'close', 'reset'] as const);
      connection[way]();
      break;
    }
  }
}

async function writePieces(
  bytes: Buffer,
  count: number,
  placeOf: (index: number) => number,
  connection: RawConnection,
): Promise<void> {
  const places = Array.from({ length: count - 1 }, (_, index) => placeOf(index + 1)).sort((a, b) => a - b);
  let start = 0;
  for (const place of [...places, bytes.length]) {
    await connection.write(bytes.subarray(start, place));
    await nextTurn();
    start = place;
  }
}

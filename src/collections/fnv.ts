export const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a over the code units of a text, as an unsigned number of 32 bits. Another `basis` makes it another function. */
export function fnv1a(text: string, basis: number = FNV_BASIS): number {
  let hash = basis;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash >>> 0;
}

/** An address as a number of 32 or 128 bits. */
export interface IpAddress {
  bits: 32 | 128;
  value: bigint;
}

export interface IpRange {
  bits: 32 | 128;
  /** Bits to the right of the prefix, which are not compared. */
  hostBits: bigint;
  /** The bits of the prefix. */
  prefix: bigint;
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
/** `::ffff:0:0/96`: how a socket for both versions shows an IPv4 address. */
const MAPPED_PREFIX = 0xffffn;
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Undefined when the text is no address. A mapped IPv4 address is that IPv4 address, or else a range would be missed by
 * connecting in another way; the zone of a link-local one says nothing about the sender.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const zoneAt = text.indexOf('%');
  const address = parseAddress(zoneAt === -1 ? text : text.slice(0, zoneAt));
  return address && isMapped(address) ? { bits: 32, value: address.value & 0xffffffffn } : address;
}

/** An address, or a range in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`. Undefined when the text is neither. */
export function parseIpRange(text: string): IpRange | undefined {
  const [addressText = '', lengthText, ...more] = text.split('/');
  const address = parseAddress(addressText);
  if (address === undefined || more.length > 0) return undefined;
  const length = lengthText === undefined ? address.bits : parseLength(lengthText, address.bits);
  if (length === undefined) return undefined;
  if (isMapped(address) && length >= MAPPED_PREFIX_LENGTH) {
    return rangeOf({ bits: 32, value: address.value & 0xffffffffn }, length - MAPPED_PREFIX_LENGTH);
  }
  return rangeOf(address, length);
}

export function isInRange({ bits, value }: IpAddress, range: IpRange): boolean {
  return bits === range.bits && value >> range.hostBits === range.prefix;
}

function rangeOf({ bits, value }: IpAddress, length: number): IpRange {
  const hostBits = BigInt(bits - length);
  return { bits, hostBits, prefix: value >> hostBits };
}

function parseLength(text: string, max: number): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function isMapped({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 32n === MAPPED_PREFIX;
}

function parseAddress(text: string): IpAddress | undefined {
  const value = text.includes(':') ? parseIpv6(text) : parseIpv4(text);
  return value === undefined ? undefined : { bits: text.includes(':') ? 128 : 32, value };
}

function parseIpv4(text: string): bigint | undefined {
  const bytes = IPV4.exec(text)?.slice(1);
  if (bytes === undefined) return undefined;
  let value = 0n;
  for (const byte of bytes) {
    // A leading zero makes it octal for some programs and decimal for others.
    if (Number(byte) > 255 || (byte.length > 1 && byte.startsWith('0'))) return undefined;
    value = (value << 8n) | BigInt(byte);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<bigint>(missing).fill(0n), ...(tail ?? [])];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Groups of 16 bits; the end of an address may be written as an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const pieces = text.split(':');
  for (const [index, piece] of pieces.entries()) {
    if (GROUP.test(piece)) {
      groups.push(BigInt(`0x${piece}`));
      continue;
    }
    const ipv4 = isEnd && index === pieces.length - 1 ? parseIpv4(piece) : undefined;
    if (ipv4 === undefined) return undefined;
    groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
  }
  return groups;
}

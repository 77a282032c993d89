/**
 * Returns the reason why API servers since Kubernetes 1.36 reject an IP address or CIDR that older
 * ones accept; undefined for other texts (`IsValidIPForLegacyField` and `IsValidCIDRForLegacyField`
 * in k8s.io/apimachinery).
 */
export function strictAddressViolation(text: string): string | undefined {
  const [address = "", prefix] = text.split("/");
  if (address.length > maxLength) return undefined;
  const parsed = parseIpv4(address) ?? parseIpv6(address);
  if (parsed === undefined) return undefined;
  if (isMapped(parsed)) return "it is an IPv4-mapped IPv6 address";
  const quad = lastPart(address);
  const decimals = [...(quad.includes(".") ? quad.split(".") : []), prefix ?? ""];
  if (decimals.some((part) => /^0\d/.test(part))) return "a number has leading zeros";
  if (prefix === undefined || !/^\d{1,3}$/.test(prefix)) return undefined;
  return hasHostBits(parsed, Number(prefix)) ? "bits are set beyond the prefix length" : undefined;
}

/** The length of the longest IPv6 address with an IPv4 part. */
const maxLength = 45;

/** The numbers of an address, each with the same width in bits. */
interface ParsedAddress {
  readonly numbers: readonly number[];
  readonly width: 8 | 16;
}

function parseIpv4(address: string): ParsedAddress | undefined {
  const parts = address.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,4}$/.test(part));
  return isAddress ? { numbers: parts.map(Number), width: 8 } : undefined;
}

function isMapped({ numbers }: ParsedAddress): boolean {
  return numbers[5] === 0xffff && numbers.slice(0, 5).every((number) => number === 0);
}

function lastPart(address: string): string {
  return address.slice(address.lastIndexOf(":") + 1);
}

/** Writes the last four bytes of an IPv6 address as two groups, such as `::1.2.3.4`. */
function withoutQuad(address: string): string {
  const quad = lastPart(address);
  const bytes = parseIpv4(quad)?.numbers;
  if (bytes === undefined) return address;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16));
  return `${address.slice(0, -quad.length)}${groups.join(":")}`;
}

function parseIpv6(text: string): ParsedAddress | undefined {
  const address = withoutQuad(text);
  const [head = [], tail, ...more] = address.split("::").map(parseGroups);
  if (more.length > 0) return undefined;
  const known = [...head, ...(tail ?? [])];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - known.length);
  const numbers = [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])];
  const isAddress = numbers.length === 8 && !numbers.some(Number.isNaN);
  return isAddress ? { numbers, width: 16 } : undefined;
}

function parseGroups(text: string): readonly number[] {
  const groups = text === "" ? [] : text.split(":");
  return groups.map((group) => (/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : NaN));
}

function hasHostBits({ numbers, width }: ParsedAddress, length: number): boolean {
  return numbers.some((number, index) => {
    const own = Math.min(width, Math.max(0, length - index * width));
    return number % 2 ** (width - own) !== 0;
  });
}

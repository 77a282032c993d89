/**
 * Returns the reason why API servers since Kubernetes 1.36 reject an IP address or CIDR that older
 * ones accept; undefined for other texts (`IsValidIPForLegacyField` and `IsValidCIDRForLegacyField`
 * in k8s.io/apimachinery).
 */
export function strictAddressViolation(text: string): string | undefined {
  const [address = "", prefix] = text.split("/");
  if (address.length > maxLength) return undefined;
  if (/^::ffff:\d/i.test(address)) return "it is an IPv4-mapped IPv6 address";
  const octets = ipv4Octets(address);
  if (octets === undefined) return undefined;
  const isPadded = [...address.split("."), prefix ?? ""].some((part) => /^0\d/.test(part));
  if (isPadded) return "a number has leading zeros";
  if (prefix === undefined || !/^\d{1,2}$/.test(prefix)) return undefined;
  return hasHostBits(octets, Number(prefix)) ? "bits are set beyond the prefix length" : undefined;
}

/** The length of the longest IPv6 address with an IPv4 part. */
const maxLength = 45;

function ipv4Octets(address: string): readonly number[] | undefined {
  const parts = address.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,4}$/.test(part));
  return isAddress ? parts.map(Number) : undefined;
}

function hasHostBits(octets: readonly number[], length: number): boolean {
  return octets.some((octet, index) => {
    const own = Math.min(8, Math.max(0, length - index * 8));
    return (octet & (0xff >> own)) !== 0;
  });
}

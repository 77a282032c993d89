/** An RFC 1123 label, as Kubernetes requires for namespaces and qvs for deployment names. */
const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const dnsLabelRule =
  "Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at the start and end";

export function isDnsLabel(name: string): boolean {
  return dnsLabel.test(name);
}

/**
 * Returns the nearest DNS label to a name: `My_Shop` becomes `my-shop`.
 * The result can still be empty or too long.
 */
export function toDnsLabel(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

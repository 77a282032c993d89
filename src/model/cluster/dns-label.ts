/** RFC 1123, as Kubernetes demands it of namespaces and we of deployment names. */
const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const dnsLabelRule =
  "Use at most 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit";

export function isDnsLabel(name: string): boolean {
  return dnsLabel.test(name);
}

/** The DNS label that is nearest to a name: `My_Shop` becomes `my-shop`. It can still be empty or too long. */
export function asDnsLabel(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

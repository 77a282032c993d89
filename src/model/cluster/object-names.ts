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

/**
 * Reports whether a string is an RFC 1123 subdomain, as Kubernetes requires for most object names.
 */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && dnsSubdomain.test(text);
}

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Reports whether a string is a valid key of a label or annotation, as `IsQualifiedName` does.
 * The key is a name with an optional DNS subdomain before it.
 */
export function isQualifiedName(key: string): boolean {
  const [name = "", prefix, ...others] = key.split("/").toReversed();
  const isOfDomain = prefix === undefined || isDnsSubdomain(prefix);
  return others.length === 0 && name !== "" && isLabelValue(name) && isOfDomain;
}

/** Reports whether a string is a valid label value, as `IsValidLabelValue` does. */
export function isLabelValue(text: string): boolean {
  return text.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text);
}

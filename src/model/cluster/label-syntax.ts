/** RFC 1123, as Kubernetes demands it of the names of most objects. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && dnsSubdomain.test(text);
}

const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `IsQualifiedName`, of labels and annotations: a name, with or without a DNS subdomain before it. */
export function isQualifiedName(key: string): boolean {
  const [name = "", prefix, ...others] = key.split("/").toReversed();
  const isOfDomain = prefix === undefined || isDnsSubdomain(prefix);
  return others.length === 0 && name !== "" && isLabelValue(name) && isOfDomain;
}

/** `IsValidLabelValue`. */
export function isLabelValue(text: string): boolean {
  return text.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text);
}

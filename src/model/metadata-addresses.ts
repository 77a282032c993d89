/**
 * Reports whether a host is a cloud's metadata service, which gives credentials to everyone who can
 * reach it. `host` is a name or an IP address. Link-local addresses have no other servers that a
 * deployment could mean.
 */
export function isMetadataHost(host: string): boolean {
  const name = normalizeHost(host);
  if (metadataNames.has(name)) return true;
  const ipv4 = embeddedIpv4(name) ?? name;
  return (
    /^169\.254\.\d+\.\d+$/.test(ipv4) || metadataAddresses.has(ipv4) || /^fe[89ab]/.test(ipv6(name))
  );
}

/** https://cloud.google.com/compute/docs/metadata/querying-metadata */
const metadataNames: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
]);

/** The addresses of AWS over IPv6, Alibaba, Oracle and Azure outside of 169.254.0.0/16. */
const metadataAddresses: ReadonlySet<string> = new Set([
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
]);

/** Returns the host in the form of a URL: lower case, without brackets, the shortest IPv6. */
function normalizeHost(host: string): string {
  const [bare = ""] = host.replace(/^\[|\]$/g, "").split("%", 1);
  const url = `http://${bare.includes(":") ? `[${bare}]` : bare}/`;
  const name = URL.canParse(url) ? new URL(url).hostname : bare.toLowerCase();
  return name.replace(/^\[|\]$/g, "").replace(/(?<!\.)\.+$/, "");
}

/** Returns the IPv4 address in a mapped, compatible or translated IPv6 address. */
function embeddedIpv4(name: string): string | undefined {
  const [, high, low] = /^(?:::ffff:|::|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/.exec(name) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = [high, low].flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join(".");
}

function ipv6(name: string): string {
  return name.includes(":") ? name : "";
}

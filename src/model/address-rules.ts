/**
 * The rules for requests of checks. The config reports them with positions. The requests follow
 * them too, because anyone who can write Secrets can forge the record of a release.
 */

/** Returns the fix for an address that a check never requests. */
export function addressError(url: string): string | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    return "Write an address that starts with https:// or http://";
  if (address.username !== "" || address.password !== "")
    return "Write the credential in headers, with {secret: NAME, key: KEY}";
  if (isMetadataHost(address.hostname))
    return "Choose another address. qvs sends no requests to the metadata service of a cloud";
  return undefined;
}

/**
 * Returns the fix for a path that could lead out of the Service. URLs swallow dot segments, so the
 * API server would answer for another resource, with the permissions of qvs.
 */
export function pathError(path: string): string | undefined {
  const [route = ""] = path.split("?");
  if (!route.startsWith("/")) return "Start the path with a slash";
  if (!/^[\x21-\x7e]*$/.test(path) || /[#\\]/.test(path))
    return "Percent-encode spaces and special characters";
  return hasDotSegment(route) ? "Remove . and .. from the path" : undefined;
}

/** Reports whether a path has a dot segment after any number of decodings. */
function hasDotSegment(route: string): boolean {
  const decoded = decode(route);
  if (decoded === undefined) return true;
  const isDotted = decoded.split(/[/\\]/).some((part) => part === "." || part === "..");
  return isDotted || (decoded !== route && hasDotSegment(decoded));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the fix for a header that a check can't set. The transport sets some of them, and others
 * would change the identity of the request at the API server.
 */
export function headerError(name: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "Use a valid name of a header";
  if (transportHeaders.test(name)) return "Remove it, because qvs sets it";
  if (identityHeaders.test(name))
    return "Remove it, because it could change the identity at the API server";
  return undefined;
}

const transportHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept-encoding|proxy-.*|user-agent)$/i;
const identityHeaders = /^(?:impersonate-|x-remote-|x-forwarded-)/i;

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

import { isMetadataHost } from "./metadata-addresses.ts";

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

/** The number of bytes per call of `String.fromCharCode`. Far more would overflow the stack. */
const bytesPerCall = 0x2000;

/** Returns the Base64 encoding of a string in UTF-8. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // Text in ASCII has the same bytes.
  if (bytes.length === text.length) return btoa(text);
  let binary = "";
  for (let start = 0; start < bytes.length; start += bytesPerCall) {
    binary += String.fromCharCode(...bytes.subarray(start, start + bytesPerCall));
  }
  return btoa(binary);
}

/** Decodes Base64 to bytes. Throws if the value isn't Base64. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/**
 * Returns Base64 in the form that the API server returns: without line breaks, and with zeros in
 * the unused bits.
 * Returns undefined for a value that the server rejects. Go's decoder ignores line breaks, but it
 * doesn't accept spaces or missing padding.
 */
export function canonicalBase64(text: string): string | undefined {
  const digits = text.replace(/[\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) return undefined;
  return btoa(atob(digits));
}

/** Decodes Base64 to a string; undefined if the value isn't Base64 or its bytes aren't UTF-8. */
export function fromBase64(bytes: string): string | undefined {
  const canonical = canonicalBase64(bytes);
  if (canonical === undefined) return undefined;
  const text = new TextDecoder().decode(bytesOfBase64(canonical));
  return toBase64(text) === canonical ? text : undefined;
}

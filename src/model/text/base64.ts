/** Returns the Base64 encoding of a string in UTF-8. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
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
  const text = new TextDecoder().decode(Uint8Array.from(atob(canonical), charCode));
  return toBase64(text) === canonical ? text : undefined;
}

function charCode(character: string): number {
  return character.charCodeAt(0);
}

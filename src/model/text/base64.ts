/** Base64 of the UTF-8 bytes of a text. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * The one way in which the server gives Base64 back: without line ends and with zeros in the bits that count for
 * nothing. undefined for what it refuses: Go's decoder passes over line ends, but not over spaces or lacking padding.
 */
export function canonicalBase64(text: string): string | undefined {
  const digits = text.replace(/[\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) return undefined;
  return btoa(atob(digits));
}

/** The text whose UTF-8 bytes these are; undefined for bytes that are no text, and for what is no Base64. */
export function fromBase64(bytes: string): string | undefined {
  const canonical = canonicalBase64(bytes);
  if (canonical === undefined) return undefined;
  const text = new TextDecoder().decode(Uint8Array.from(atob(canonical), codeOf));
  return toBase64(text) === canonical ? text : undefined;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

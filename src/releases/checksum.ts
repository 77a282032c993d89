/**
 * Returns the CRC-32 of gzip (RFC 1952), in hexadecimal.
 * It shows which Secret of a record is damaged. It doesn't protect against forgery.
 */
export function crc32(text: string): string {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

const table: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

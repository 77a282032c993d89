/**
 * The first line of a pointer in the specification of Git LFS, version 1. A pointer has less than
 * 1024 bytes.
 */
const header = Buffer.from("version https://git-lfs.github.com/spec/v1");
const maxBytes = 1024;

/** Reports whether the content of a file is a pointer of Git LFS instead. */
export function isLfsPointer(content: Uint8Array): boolean {
  return content.length < maxBytes && header.equals(content.subarray(0, header.length));
}

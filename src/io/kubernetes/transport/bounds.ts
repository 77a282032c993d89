/** How much an API server may answer, in bytes where nothing else is said. No working cluster comes near; tests have less. */
export interface Bounds {
  /** Of one answer, unpacked. A page of a list has 500 objects. */
  readonly answer: number;
  /** Of one answer that is a refusal, or no news of an object at all. */
  readonly refusal: number;
  /** Of all pages of a list, and of all objects that a watch has told of. */
  readonly list: number;
  /** Of one list: a million objects. */
  readonly pages: number;
  /** Milliseconds for all pages together; the server forgets after five minutes where a list goes on. */
  readonly listDuration: number;
  /** Of one line of a watch: an object, of which the API server takes no more than 3 MiB. */
  readonly line: number;
  /** Versions of groups that a server without aggregated discovery may name; each costs a request. */
  readonly versions: number;
}

const mebibyte = 1 << 20;

export const defaultBounds: Bounds = {
  answer: 256 * mebibyte,
  refusal: 3 * mebibyte,
  list: 512 * mebibyte,
  pages: 2_000,
  listDuration: 600_000,
  line: 16 * mebibyte,
  versions: 5_000,
};

/** The server has answered more than anybody could want to know. To ask again would only bring the same. */
export class BeyondBounds extends Error {}

export function mebibytes(bytes: number): string {
  return `${bytes / mebibyte} MiB`;
}

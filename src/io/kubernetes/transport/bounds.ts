/**
 * The limits for the answers of an API server, in bytes unless noted otherwise. No working cluster
 * reaches them; tests use lower ones.
 */
export interface AnswerBounds {
  /** The size of one answer, uncompressed. A page of a list has 500 objects. */
  readonly answer: number;
  /** The size of one answer with a status of 300 or above. */
  readonly refusal: number;
  /** The size of all pages of a list, and of all objects that a watch has reported. */
  readonly list: number;
  /** The number of pages of one list, enough for a million objects. */
  readonly pages: number;
  /**
   * Milliseconds for all pages together. The API server's continue tokens expire after five
   * minutes.
   */
  readonly listDuration: number;
  /**
   * The size of one line of a watch, which is one object. The API server accepts at most 3 MiB per
   * object.
   */
  readonly line: number;
  /**
   * The number of API versions that a server without aggregated discovery can list. Each of them
   * costs a request.
   */
  readonly versions: number;
}

const mebibyte = 1 << 20;

export const defaultBounds: AnswerBounds = {
  answer: 256 * mebibyte,
  refusal: 3 * mebibyte,
  list: 512 * mebibyte,
  pages: 2_000,
  listDuration: 600_000,
  line: 16 * mebibyte,
  versions: 5_000,
};

/** An answer that exceeds the bounds. A retry would only return the same answer. */
export class BoundsExceeded extends Error {}

export function mebibytes(bytes: number): string {
  return `${bytes / mebibyte} MiB`;
}

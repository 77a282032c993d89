import type { FetchFailure } from "./failure.ts";

/** The place of a chart outside of the repository: a registry or a Helm repository. */
export interface ChartOrigin {
  /** The key in the cache. */
  readonly key: string;
  /** Finds a version. */
  find(version: string): Promise<FoundChart | FetchFailure>;
  /** Returns all versions in any order. */
  versions(): Promise<readonly string[] | FetchFailure>;
}

/** A version at its origin. */
export interface FoundChart {
  /** `sha256:…` as the origin names it; undefined if only the content shows it. */
  readonly digest: string | undefined;
  download(): Promise<Buffer | FetchFailure>;
  /** Downloads content that had this version before; undefined if the origin can't give it. */
  readonly downloadEarlier?: (digest: string) => Promise<Buffer | FetchFailure>;
}

/** The maximum size of a packed chart, as in Helm. */
export const maxChartBytes = 100 * 1024 * 1024;

import type { Result } from "../model/problems/problem.ts";
import type { RemoteChart } from "../model/sources/remote-chart.ts";

export interface RemoteChartRequest extends RemoteChart {
  /** The locked digest of the packed chart. If it's undefined, qvs asks the registry. */
  readonly locked: string | undefined;
}

/** Decides whether a run uses the login of a host for a chart. */
export type ChartLoginRule = (chart: Omit<RemoteChart, "version">) => Promise<boolean>;

/** A packed chart. */
export interface FetchedChart {
  /** `sha256:…` that the registry gives for this version, or the locked one from the cache. */
  readonly digest: string;
  /**
   * The content with the locked digest, or else with `digest`. Undefined if the registry has
   * another content under this version, and the cache lacks the locked one.
   */
  readonly content: Uint8Array | undefined;
}

/**
 * The charts of registries and Helm repositories, cached by digest. qvs checks the digest of each
 * content that it returns. A cached chart that was once seen under its version needs no network.
 */
export interface ChartStore {
  fetch(request: RemoteChartRequest): Promise<Result<FetchedChart>>;
  /** Returns all versions of a chart at its registry, in any order. */
  versions(chart: Omit<RemoteChart, "version">): Promise<Result<readonly string[]>>;
}

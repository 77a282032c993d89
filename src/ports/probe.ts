/** A header of a probe. */
export interface ProbeHeader {
  readonly name: string;
  readonly value: string;
  /** True if no output of the run can contain the value. */
  readonly isSecret: boolean;
}

export interface ProbeLimits {
  /** The maximum time for the whole answer. */
  readonly timeoutMs: number;
  /** The maximum number of bytes of the body that are read. */
  readonly bodyBytes: number;
}

/** The answer to one request of a check. */
export type ProbeAnswer =
  | {
      readonly type: "answered";
      readonly status: number;
      /** The start of the body, without the credentials of the run. */
      readonly body: string;
      /** True if the body is longer. */
      readonly isCut: boolean;
      /** Milliseconds until the body, or its start, was received. */
      readonly latencyMs: number;
    }
  | { readonly type: "unanswered"; readonly why: string };

/** Sends requests of checks to addresses outside of the cluster's API. */
export interface HttpProbe {
  /**
   * Sends one GET without any credential of the cluster. It neither follows redirects nor retries,
   * and never sends anything to a cloud's metadata service.
   */
  get(
    url: string,
    headers: readonly ProbeHeader[],
    limits: ProbeLimits,
    signal: AbortSignal,
  ): Promise<ProbeAnswer>;
}

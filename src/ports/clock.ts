export interface Clock {
  /** Returns the time of day, for output and records. It can be set back or forward at any time. */
  now(): Date;
  /**
   * Returns monotonic milliseconds since an arbitrary start. qvs measures every duration with it.
   */
  elapsed(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason if it's aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

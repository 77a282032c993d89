export interface Clock {
  /** The time of day, for texts and records. It can be set back or forward at any moment. */
  now(): Date;
  /** Milliseconds since some moment, never set back: every duration is measured with it. */
  elapsed(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

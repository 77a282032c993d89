import { AnswerTooLarge } from "./failure.ts";
import { type OutputLimits, outputLimits } from "./limits.ts";

/** Counts the exported JSON of one evaluation. */
export class OutputCount {
  readonly limits: OutputLimits;
  #total = 0;

  constructor(limits: OutputLimits = outputLimits) {
    this.limits = limits;
  }

  /**
   * Adds the length of an exported value. If all values together are too large, it throws
   * AnswerTooLarge, which ends the compilation.
   */
  add(length: number): void {
    this.#total += length;
    if (this.#total > this.limits.total) throw new AnswerTooLarge(this.#total);
  }
}

/** Returns the error of a value that is larger than its limit. */
export function tooLargeMessage({ value }: OutputLimits): string {
  return `the value is larger than ${value / (1 << 20)} MiB`;
}

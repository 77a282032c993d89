import { type OutputLimits, outputLimits } from "./limits.ts";

/**
 * The reason why an engine died. `fault` is a bug in CUE or qvs that the engine could still report.
 */
type FailureReason = "nesting" | "memory" | "fault";

/**
 * An answer, or everything that one compilation exported, is too large to be deployed. The engine
 * stays usable.
 */
export class AnswerTooLarge extends Error {
  constructor(bytes: number) {
    super(`the engine's answer has ${bytes} bytes`);
    this.name = "AnswerTooLarge";
  }
}

/** The engine died, or is in an unknown state. It has to be replaced. */
export class EngineFailure extends Error {
  readonly reason: FailureReason;

  constructor(cause: unknown, printed: string) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(firstLine(printed) ?? message, { cause });
    this.name = "EngineFailure";
    this.reason = failureReason(cause, printed);
  }
}

/**
 * Returns the reason of a failure. V8 throws a RangeError when the stack is full. Go prints its
 * reason before it exits.
 */
function failureReason(cause: unknown, printed: string): FailureReason {
  if (cause instanceof RangeError || printed.includes("stack overflow")) return "nesting";
  if (printed.includes("exceeds 1000000000-byte limit")) return "nesting";
  return printed.includes("out of memory") ? "memory" : "fault";
}

function firstLine(printed: string): string | undefined {
  return printed.split("\n").find((line) => line.trim() !== "");
}

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

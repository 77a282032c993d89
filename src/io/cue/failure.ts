/**
 * The reason why an engine died. `fault` is a bug in CUE or qvs that the engine could still report.
 */
export type FailureReason = "nesting" | "memory" | "fault";

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

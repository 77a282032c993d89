/** Why an engine died. `fault` is a bug of CUE's or ours that it survived well enough to tell. */
export type FailureReason = "nesting" | "memory" | "fault";

/** An answer, or all that one compilation exported, is larger than anything meant to be deployed. The engine is unharmed. */
export class AnswerTooLarge extends Error {
  constructor(bytes: number) {
    super(`the engine's answer has ${bytes} bytes`);
    this.name = "AnswerTooLarge";
  }
}

/** The engine died, or cannot be trusted any more. It has to be replaced. */
export class EngineFailure extends Error {
  readonly reason: FailureReason;

  constructor(cause: unknown, printed: string) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(firstLine(printed) ?? message, { cause });
    this.name = "EngineFailure";
    this.reason = reasonOf(cause, printed);
  }
}

/** V8 throws a RangeError when the stack is full; Go prints why it gives up before it exits. */
function reasonOf(cause: unknown, printed: string): FailureReason {
  if (cause instanceof RangeError || printed.includes("stack overflow")) return "nesting";
  if (printed.includes("exceeds 1000000000-byte limit")) return "nesting";
  return printed.includes("out of memory") ? "memory" : "fault";
}

function firstLine(printed: string): string | undefined {
  return printed.split("\n").find((line) => line.trim() !== "");
}

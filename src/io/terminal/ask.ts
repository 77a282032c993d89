import { isCancel, text } from "@clack/prompts";

export interface TerminalQuestion {
  readonly message: string;
  /** The answer if the user only presses Enter. */
  readonly proposed: string;
  /** Returns the error of an answer; undefined if the answer is valid. */
  check(answer: string): string | undefined;
}

export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/**
 * Asks on a terminal, again until the answer is valid. Undefined if the user presses Ctrl-C or
 * Escape.
 */
export async function ask(
  { message, proposed, check }: TerminalQuestion,
  { input, output, signal }: TerminalStreams,
): Promise<string | undefined> {
  const answer = await text({
    message,
    placeholder: proposed,
    defaultValue: proposed,
    // The library would check the empty answer, but that stands for the proposed one.
    validate: (given = "") => check(given === "" ? proposed : given),
    input,
    output,
    signal,
  });
  return isCancel(answer) ? undefined : answer;
}

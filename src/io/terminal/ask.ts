import { isCancel, text } from "@clack/prompts";

export interface Question {
  readonly message: string;
  /** What Enter alone answers. */
  readonly proposed: string;
  /** What is wrong with an answer; undefined where nothing is. */
  check(answer: string): string | undefined;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks on a terminal, again until the answer is right. undefined when Ctrl-C or Escape was pressed. */
export async function ask(
  { message, proposed, check }: Question,
  { input, output, signal }: Terminal,
): Promise<string | undefined> {
  const answer = await text({
    message,
    placeholder: proposed,
    defaultValue: proposed,
    // The library would check the empty answer, which stands for what is proposed.
    validate: (given = "") => check(given === "" ? proposed : given),
    input,
    output,
    signal,
  });
  return isCancel(answer) ? undefined : answer;
}

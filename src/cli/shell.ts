/** The process as a command meets it: what it was told, and where its words go. `process` is one. */
export interface Shell {
  /** As in `process`: the first two are the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The result and nothing else. */
  readonly stdout: Output;
  /** Progress, warnings and problems. */
  readonly stderr: Output;
  cwd(): string;
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** How wide a terminal is. */
  readonly columns?: number;
}

/**
 * A reader that has seen enough, such as `head`, closes its end of the pipe. What is written from then on is lost, and
 * that is no reason to stop: a deployment must not break off because nobody reads its progress any more.
 */
export function outliveReaders({ stdout, stderr }: Pick<Shell, "stdout" | "stderr">): void {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

import { UserError } from "../errors.ts";

/** Exit codes (spec §9). */
export const exitCode = { done: 0, user: 1, changes: 2, interrupted: 130, bug: 70 } as const;

/** Says what went wrong and whose fault it is; only a bug of ours shows a stack. */
export function reportFailure(error: unknown, stream: NodeJS.WritableStream): number {
  if (error instanceof UserError) {
    const count = error.problems.length;
    stream.write(
      `${error.message}\n${count > 1 ? `\n${count} problems. ` : ""}Nothing was changed.\n`,
    );
    return exitCode.user;
  }
  if (error instanceof Error && error.name === "AbortError") {
    stream.write("Interrupted. Nothing was changed.\n");
    return exitCode.interrupted;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  stream.write(
    `This is a bug in qvs, not a mistake of yours. Please report it with these lines:\n${stack}\n`,
  );
  return exitCode.bug;
}

import { fieldOf } from "../../model/json.ts";

/**
 * A reader such as `head` may close its end of the pipe. What is written after that is lost, but that is no reason to
 * stop: a deployment must not end because nobody reads its progress. The same is true of a full disk, which is reported in one line: the
 * function that is returned says whether output was lost that way.
 */
export function outliveReaders({
  stdout,
  stderr,
}: Pick<NodeJS.Process, "stdout" | "stderr">): () => boolean {
  let isLost = false;
  for (const [stream, other, name] of [
    [stdout, stderr, "standard output"],
    [stderr, undefined, "standard error"],
  ] as const) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || isLost) return;
      isLost = true;
      other?.write(`Can't write to ${name}: ${whyLost(error)}\n`);
    });
  }
  return () => isLost;
}

function whyLost({ code = "", message }: NodeJS.ErrnoException): string {
  const known = fieldOf(reasons, code);
  return known === undefined ? message : `${known} (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file is too large",
  EIO: "the device reports an error",
};

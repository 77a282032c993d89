import { fieldOf } from "../../model/json.ts";

/**
 * Keeps the process alive if a reader such as `head` closes its end of the pipe. Later output is
 * lost, but a deployment must not end because its progress has no reader.
 * A full disk doesn't end the process either, but qvs reports it in one line. The returned function
 * reports whether output was lost for such a reason.
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
      other?.write(`Can't write to ${name}: ${lossReason(error)}\n`);
    });
  }
  return () => isLost;
}

function lossReason({ code = "", message }: NodeJS.ErrnoException): string {
  const known = fieldOf(reasons, code);
  return known === undefined ? message : `${known} (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file is too large",
  EIO: "the device reports an error",
};

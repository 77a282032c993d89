/** Ends a process that an older Node.js runs, before that fails somewhere inside with words that help nobody. */
export function requireNode({
  versions,
  stderr,
  exit,
}: Pick<NodeJS.Process, "versions" | "stderr" | "exit">): void {
  if (Number.parseInt(versions.node, 10) >= oldest) return;
  stderr.write(`qvs needs Node.js ${oldest} or newer; this is v${versions.node}.\n`);
  exit(1);
}

/** What the Action runs on, so nothing older is tested; before 22.15 there is no Zstandard to unpack the engine with. */
const oldest = 24;

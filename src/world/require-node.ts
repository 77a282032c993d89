/** Whether this Node.js can run qvs. Says so where it can't, before that fails somewhere inside with words that help nobody. */
export function isNodeNewEnough({
  versions,
  stderr,
  exit,
}: Pick<NodeJS.Process, "versions" | "stderr" | "exit">): boolean {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return true;
  const needed = `${oldest.major}.${oldest.minor}`;
  stderr.write(`qvs needs Node.js ${needed} or newer; this is v${versions.node}.\n`);
  exit(1);
  return false;
}

/** The first long-term release that can unpack the engine (Zstandard); package.json says the same. */
const oldest = { major: 22, minor: 15 };

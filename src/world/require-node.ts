/**
 * Reports whether this Node.js version can run qvs.
 * If it can't, the function prints an error and exits before the program fails with an unclear
 * message.
 */
export function requireNode({
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

/**
 * The oldest supported release: the first LTS release that can decompress the engine (Zstandard).
 * It must match package.json.
 */
const oldest = { major: 22, minor: 15 };

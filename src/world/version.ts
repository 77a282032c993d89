import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

/** The version of CUE in engine/go.mod. */
const cueVersion = "v0.17.1";

/** Returns the version, e.g. `qvs 0.1.0 (commit abc1234, cue v0.17.1)`. */
export function versionText(program = new URL(import.meta.url)): string {
  return `qvs ${manifest.version} (${programBuild(program)}, cue ${cueVersion})`;
}

/**
 * Returns the build of the program.
 * A package contains the commit that it was packed from, in a separate file
 * (scripts/record-commit.ts). The bytes of dist depend only on the sources, not on the commit. A
 * clone therefore shows the digest of the program instead, with all its parts.
 */
function programBuild(program: URL): string {
  if (program.pathname.endsWith(".ts")) return "from source";
  const commit = readIfExists(new URL("../packed-commit.txt", program))?.toString("utf8").trim();
  if (commit !== undefined && /^[0-9a-f]{7,40}( with changes)?$/.test(commit))
    return `commit ${commit}`;
  const hash = createHash("sha256");
  for (const part of programParts(program)) hash.update(readFileSync(part));
  return `build ${hash.digest("hex").slice(0, 7)}`;
}

/** Returns the files of the program: `qvs.js`, and its parts `qvs-….js` next to it. */
function programParts(program: URL): readonly URL[] {
  const directory = new URL(".", program);
  const names = readdirSync(directory).filter((name) => /^qvs(?:-[\w-]+)?\.js$/.test(name));
  return names.toSorted().map((name) => new URL(name, directory));
}

function readIfExists(file: URL): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

import { createHash } from "node:crypto";

/**
 * What a module holds, as one text for the lock: `sha256:` and the SHA-256, in hex, of one line for each file whose name
 * ends in `.cue` (`cue.mod/module.cue` and what is vendored below `cue.mod` included), with `cue.mod` folders of modules
 * within the module too. A line is what `sha256sum` prints: the SHA-256 of the content, two spaces, the path from the
 * module's root with `/`, a line feed; sorted by the bytes of the path. Contents are those of git's objects, so that no
 * setting of line endings and no filter changes them; a link counts as the file that it leads to, and is left out when
 * it leads outside. In a clone whose links all stay inside, these commands print the same, with the folder's name once:
 * `find -L . -name '*.cue' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum`.
 */
export function contentHash(files: ReadonlyMap<string, string>): string {
  const lines = [...files.keys()].sort(byBytes).map((path) => {
    return `${sha256(files.get(path) ?? "")}  ${path}\n`;
  });
  return `sha256:${sha256(lines.join(""))}`;
}

/** The order of no language, so that every machine has the same. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

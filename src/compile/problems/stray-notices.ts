import type { Position, Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/suggest.ts";
import type { Cue, StrayFile } from "../../ports/cue.ts";

/**
 * Warns about files next to an adapter whose package clause is probably a mistake. CUE ignores
 * them, and their resources would be missing without a message. A directory can also contain
 * several packages, so a name that isn't similar is no mistake.
 */
export function strayNotices(cue: Cue): readonly Problem[] {
  return cue.strays().flatMap((stray) => {
    const { package: name, loaded } = stray;
    return name === undefined || closest(name, [loaded]) !== undefined ? [strayNotice(stray)] : [];
  });
}

function strayNotice({ file, package: name, loaded, beside }: StrayFile): Problem {
  return {
    code: "file-not-in-package",
    where: [startOf(file), startOf(beside)],
    what: `"${file}" isn't part of package "${loaded}"`,
    why: name === undefined ? "It has no package clause" : `Its package clause is "${name}"`,
    fix: `Write \`package ${loaded}\` in it`,
    otherwise: ["move it to its own directory"],
  };
}

function startOf(file: string): Position {
  return { file, line: 1, column: 1 };
}

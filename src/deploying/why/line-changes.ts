import pMap from "p-map";
import type { LineChange } from "../../model/field-explanation.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { GitRepository, LineOrigin } from "../../ports/git.ts";

/** The maximum number of lines whose history qvs reads for one field. */
const maxLines = 6;

/** Returns the last changes of lines, as of a commit. Lines outside of the repository have none. */
export async function findLineChanges(
  repository: GitRepository,
  commit: string,
  lines: readonly Position[],
): Promise<readonly LineChange[]> {
  const distinct = new Map(lines.map((each) => [`${each.file}:${each.line}`, each]));
  const read = await pMap(
    [...distinct.values()].slice(0, maxLines),
    async (at) => {
      const origin = await repository.lineOrigin(commit, at.file, at.line);
      return origin === undefined ? [] : [toLineChange(at, origin)];
    },
    { concurrency: 2 },
  );
  return read.flat();
}

function toLineChange(at: Position, { merge, ...origin }: LineOrigin): LineChange {
  const numbers = [origin.subject, merge?.subject ?? ""].map(pullRequestNumber);
  return {
    at,
    ...origin,
    merge: merge?.commit,
    pullRequest: numbers[1] ?? numbers[0],
  };
}

/**
 * Returns the number of the pull request in the subject that GitHub gives to a merge or a squashed
 * commit. Undefined for other subjects, such as those of rebased commits.
 */
function pullRequestNumber(subject: string): number | undefined {
  const [, merged, squashed] =
    /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? [];
  const digits = merged ?? squashed;
  return digits === undefined ? undefined : Number(digits);
}

import { expect, test } from "vitest";
import { findLineChanges } from "../../../../src/deploying/why/read-sources.ts";
import type { GitRepository, LineOrigin } from "../../../../src/ports/git.ts";

const line = { commit: "a".repeat(40), author: "Ada", time: "", isOldestInClone: false };

/** Returns the number of the pull request for the subjects of a commit and its merge. */
async function pullRequestOf(subject: string, merge?: string): Promise<number | undefined> {
  const merged = merge === undefined ? undefined : { ...line, subject: merge };
  const origin: LineOrigin = { ...line, subject, merge: merged };
  const repository = { lineOrigin: async () => origin } as unknown as GitRepository;
  const at = { file: "a.yaml", line: 1, column: 1 };
  const [change] = await findLineChanges(repository, line.commit, [at, { ...at, column: 9 }]);
  return change?.pullRequest;
}

test.each([
  ["Scale the web (#15)", undefined, 15],
  ['Revert "Scale the web (#15)" (#16)', undefined, 16],
  ["Scale the web", "Merge pull request #12 from acme/scale", 12],
  ["Scale the web (#3)", "Merge pull request #12 from acme/scale", 12],
  ["Scale the web", "Scale everything (#12)", 12],
  ["Fix #15 in the web", undefined, undefined],
  ["Scale the web (#99999999999)", undefined, undefined],
  ["Scale the web", "Merge branch 'scale'", undefined],
])("%s, merged by %s, is from pull request %s", async (subject, merge, expected) => {
  expect(await pullRequestOf(subject, merge)).toBe(expected);
});

import { expect, test } from "vitest";
import { sortVisiblePlacesFirst } from "../../../../src/action/pull-requests/open-base.ts";
import { openRepository } from "../../../../src/io/git/repository.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";

const lines = (...changed: readonly number[]) =>
  Array.from(
    { length: 30 },
    (_, i) => `${i + 1}${changed.includes(i + 1) ? " changed" : ""}\n`,
  ).join("");

/** Returns the places of one problem in the order of the report. */
async function sortedPlaces(...places: readonly (readonly [file: string, line: number])[]) {
  const git = new GitFixture();
  const base = git.commit({ "a.yaml": lines(), "b é.cue": lines() });
  const head = git.commit({ "a.yaml": lines(), "b é.cue": lines(10, 25), "new.cue": lines() });
  const repository = await openRepository(git.directory, environment);
  const where = places.map(([file, line]) => ({ file, line, column: 1 }));
  const [problem] = await sortVisiblePlacesFirst(
    [{ code: "invalid-cue", where, what: "wrong", fix: "mend" }],
    async (path) => (await repository?.linesShown(base, head, path)) ?? [],
  );
  return problem?.where.map(({ file, line }) => `${file}:${line}`);
}

test("a place that the pull request changes is first", async () => {
  expect(await sortedPlaces(["a.yaml", 3], ["b é.cue", 10])).toEqual(["b é.cue:10", "a.yaml:3"]);
  expect(await sortedPlaces(["a.yaml", 3], ["new.cue", 30])).toEqual(["new.cue:30", "a.yaml:3"]);
});

test("a place near a change is first, and a distant one isn't", async () => {
  expect(await sortedPlaces(["b é.cue", 17], ["b é.cue", 13])).toEqual([
    "b é.cue:13",
    "b é.cue:17",
  ]);
  expect(await sortedPlaces(["b é.cue", 17], ["b é.cue", 15])).toEqual([
    "b é.cue:17",
    "b é.cue:15",
  ]);
});

test("the order stays if the diff shows no place", async () => {
  expect(await sortedPlaces(["a.yaml", 3], ["nowhere.cue", 1], ["acme/mod@v1/web.cue", 2])).toEqual(
    ["a.yaml:3", "nowhere.cue:1", "acme/mod@v1/web.cue:2"],
  );
});

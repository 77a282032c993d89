import { expect, test } from "vitest";
import { newestAfter } from "../../../src/commands/outdated.ts";

test.each([
  ["1.9.0", ["1.10.0", "1.8.0"], "1.10.0"],
  ["v1.9.0", ["v1.9.0", "v1.9.1"], "v1.9.1"],
  ["1.9.0", ["2.0.0-rc.1", "1.9.0"], undefined],
  ["2.0.0-rc.1", ["2.0.0-rc.2", "2.0.0-rc.10", "2.0.0-alpha"], "2.0.0-rc.10"],
  ["2.0.0-rc.1", ["2.0.0-rc.2", "2.0.0"], "2.0.0"],
  ["2.0.0-1", ["2.0.0-a", "2.0.0-1.1"], "2.0.0-a"],
  ["1.0.0", ["1.0.0+build.2", "latest", "1.1", "sha-abc"], undefined],
  ["1.0.0", ["99999999999999999999.0.0", "3.0.0"], "99999999999999999999.0.0"],
  ["main", ["1.0.0"], undefined],
])("the newest version after %s of %j is %s", (current, versions, expected) => {
  expect(newestAfter(current, versions)).toBe(expected);
});

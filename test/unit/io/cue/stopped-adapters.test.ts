import { expect, test } from "vitest";
import { rememberStopped } from "../../../../src/io/cue/stopped-adapters.ts";
import type { CompileRequest } from "../../../../src/ports/cue.ts";
import { moduleOf } from "../../../support/cue/open.ts";

const limit = 60_000;
const where = { file: "qvs.yaml", line: 1, column: 1 };

/** Creates a request that uses adapters with one parameter each: `a=1 b=2`. */
function request(uses: string, files = "package a"): CompileRequest {
  const designPatterns = uses.split(" ").map((use) => {
    const [pattern = "", value = ""] = use.split("=");
    const params = [{ name: "size", value, where: { ...where, file: uses }, from: [] }];
    return { pattern, group: undefined, params, where };
  });
  const config = { file: uses, params: [], modules: [], designPatterns };
  return { config, modules: [moduleOf({ "a.cue": files })] };
}

function stopped(evaluating: string | undefined, duration = limit) {
  return { type: "stopped", why: "time", evaluating, duration } as const;
}

function remembering(...uses: readonly string[]) {
  const known = rememberStopped(limit);
  for (const use of uses) known.add(request(use), stopped("a → b"));
  return (asked: string, files?: string) => known.find(request(asked, files))?.why;
}

test.each<[string, readonly string[], string, string | undefined]>([
  ["the same params", ["a=large"], "a=large", "time"],
  ["other params", ["a=large"], "a=small", undefined],
  ["another adapter", ["a=large"], "b=large", undefined],
  ["the same use among others", ["a=large"], "b=1 a=large", "time"],
  ["the other use of a config with two", ["a=large a=small"], "a=small", undefined],
  ["two uses, as in the config that was stopped", ["a=large a=small"], "a=small a=large", "time"],
  ["an adapter that didn't cause it", ["a=large b=1"], "a=small b=1", undefined],
  ["other params after two were stopped", ["a=1", "a=2"], "a=3", undefined],
  ["other params after three were stopped", ["a=1", "a=2", "a=3"], "a=4", "tries"],
  ["the same params after three were stopped", ["a=1", "a=2", "a=3"], "a=1", "time"],
  ["another adapter after three were stopped", ["a=1", "a=2", "a=3"], "b=1", undefined],
])("a stopped adapter isn't evaluated again: %s", (_name, before, asked, expected) => {
  expect(remembering(...before)(asked)).toBe(expected);
});

test("with other files, an adapter is evaluated again", () => {
  expect(remembering("a=large", "a=2", "a=3")("a=large", "package a\n")).toBeUndefined();
});

test("an adapter is evaluated again if others took most of the time", () => {
  const known = rememberStopped(limit);
  known.add(request("a=large"), stopped("a", limit / 2 - 1));
  expect(known.find(request("a=large"))).toBeUndefined();
});

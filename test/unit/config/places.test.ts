import { expect, test } from "vitest";
import { bindConfig } from "../../../src/config/bind-config.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { parseInlineParams, parseParams } from "../../../src/config/parse-params.ts";
import type { Position } from "../../../src/model/problems/problem.ts";
import { must } from "./result-text.ts";

const params = `version: 1.0.0
hosts:
  - a.example
  - {name: b}
`;

/**
 * Returns each part of the argument `x` with its line and column in the config, and, after an
 * arrow, in the params file.
 */
function placesOf(x: string, inline: readonly string[] = []): string {
  const config = `params: [{name: version, type: string}, {name: hosts, type: array}]
modules: [{name: github.com/acme/adapters, revision: v1}]
designPatterns:
  - pattern: acme.example/adapters/web
    params:
      x: ${x}`;
  const given = [...must(parseParams("p", params)), ...must(parseInlineParams(inline))];
  const bound = must(bindConfig(must(parseConfig("q", config)), given));
  const [argument] = bound.designPatterns[0]?.params ?? [];
  const lines = (argument?.places ?? []).map(({ path, where, given: from }) => {
    const arrow = from.length === 0 ? "" : ` ← ${from.map(at).join(", ")}`;
    return `${["x", ...path].join(".")} ${at(where)}${arrow}`;
  });
  return lines.join("\n");
}

function at({ line, column }: Position): string {
  return `${line}:${column}`;
}

test.each([
  ["a string is at its start", "demo", "x 6:10"],
  [
    "a block is at its key, and its parts at their own lines",
    "\n        cpu: 1\n        more:\n          - a",
    "x 6:7\nx.cpu 7:14\nx.more 8:9\nx.more.0 9:13",
  ],
  ["a block of text is at its sign", "|\n        a\n        b", "x 6:10"],
  ["a reference is also at the given value", "$(params.version)", "x 6:10 ← 1:10"],
  [
    "each of several params within text",
    '"$(params.version)-$(params.version)-$$(params.version)"',
    "x 6:10 ← 1:10, 1:10",
  ],
  [
    "a list has the places of its parts",
    "$(params.hosts)",
    "x 6:10 ← 3:3\nx.0 6:10 ← 3:5\nx.1 6:10 ← 4:5\nx.1.name 6:10 ← 4:12",
  ],
  [
    "spliced items move those after them",
    '[z, "$(params.hosts[*])", y]',
    "x 6:10\nx.0 6:11\nx.1 6:14 ← 3:5\nx.2 6:14 ← 4:5\nx.2.name 6:14 ← 4:12\nx.3 6:36",
  ],
])("%s", (_, x, expected) => {
  expect(placesOf(x)).toBe(expected);
});

test("a value of the command line has no place", () => {
  expect(placesOf("$(params.version)", ["version=2"])).toBe("x 6:10");
});

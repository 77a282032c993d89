import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Problem } from "../../src/model/problems/problem.ts";
import { describeForGitHub } from "../../src/model/problems/problem-text.ts";

/**
 * Users of a workflow can't give a flag, so a message with a flag also names the input
 * (`Problem.inputs`).
 */
const root = join(import.meta.dirname, "../..");
const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as { inputs: object };

/** Messages that a workflow never shows, or that name the input in other words. */
const exempt: Readonly<Record<string, string>> = {
  "src/cli/": "the command alone",
  "src/commands/": "the parts that the Action calls name no flag",
  "src/init/": "the command alone",
  "src/deploying/queries/": "queries of the command",
  "src/world/": "the controller",
  "src/model/problems/": "the documentation of codes and flags",
  "src/model/text/": "whole commands to run unchanged",
  "src/report/controller-manifests.ts": "the controller",
  "src/report/plans/plan-difference.ts": "the message names the input",
  "src/inputs/parse.ts": "a whole command",
  "src/planning/checks/check-freeze.ts": "the message names the input",
  "src/sources/adapter-modules.ts": "the command alone: it describes adapters",
  "src/sources/list-deployments.ts": "the command alone: the Action chooses by itself",
  "src/compile/": "about the command's --crds",
  "src/planning/rollback/preview-rollback.ts": "about the deployment after the merge",
  "src/preflight/rollouts/rollout-findings.ts": "the message names the input",
  "src/preflight/rules/rollout-paused.ts": "a whole command",
  "src/config/parse-config.ts": "the documentation of the format",
  "src/config/parse-params.ts":
    "the Action checks inputs earlier, and reports their places differently",
};

test("every message that names a flag also names the Action's input", () => {
  const flag = new RegExp(`--(?:${Object.keys(action.inputs).join("|")})(?![\\w-])`);
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const silent = files.filter((file) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    const isExempt = Object.keys(exempt).some((path) => file.startsWith(path));
    return !isExempt && flag.test(text) && !/\binputs: /.test(text);
  });
  expect(silent).toEqual([]);
});

test("a problem is reported with its inputs and its place in an input", () => {
  const problem: Problem = {
    code: "invalid-parameter",
    what: "The value of --param replicas must be a whole number",
    fix: "Write it as a whole number",
    where: [{ file: "--param replicas", line: 1, column: 3 }],
    inputs: ["param: replicas=…"],
  };
  expect(describeForGitHub(problem)).toBe(
    [
      "error[invalid-parameter]: The value of --param replicas must be a whole number",
      "  --> input param, replicas:1:3",
      "  help: Write it as a whole number",
      "  help: on GitHub, set param: replicas=… under with: instead of --param",
    ].join("\n"),
  );
});

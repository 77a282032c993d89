import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { phraseToText } from "../../../src/redaction/phrase.ts";
import { problemPhrase, workflowsWith } from "../../../src/report/problem-phrases.ts";

const workflows = join(import.meta.dirname, "../../../.github/workflows");

function inputsOf(workflow: string): readonly string[] {
  const { on } = parse(readFileSync(join(workflows, workflow), "utf8"));
  return Object.keys(on.workflow_call.inputs);
}

test.each([
  "adopt",
  "allow-delete",
  "allow-failed",
  "allow-irreversible",
  "allow-older",
  "allow-outside-namespace",
  "conflicts",
  "context",
  "override-freeze",
  "param",
  "takeover",
  "timeout",
])("each workflow that a fix names has the input %s", (input) => {
  for (const workflow of workflowsWith(input)) expect(inputsOf(workflow)).toContain(input);
});

test("a freeze is overridden only in deploy.yml", () => {
  const problem = {
    code: "deployments-frozen",
    where: [],
    what: "frozen",
    fix: "Wait",
    inputs: ["override-freeze: bf"],
  } as const;
  expect(phraseToText(problemPhrase(problem))).toContain(
    "On GitHub, set override-freeze: bf under with: in deploy.yml instead of --override-freeze",
  );
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Result, verifications, verify } from "../../scripts/verification.ts";
import { commentMarker } from "../../src/report/comment/render-comment.ts";

const scratch = { repository: "acme/scratch", pullRequest: "7", deployment: "shop" };
const run = (conclusion: string) => ({ conclusion });
const comment = { body: `${commentMarker}\n## Ready` };
const artifact = (id: number) => ({ workflow_run: { id } });

const good = {
  "plan.yml": { workflow_runs: [run("failure"), run("success")] },
  comments: [{ body: "hello" }, comment],
  artifacts: { artifacts: [artifact(1), artifact(2)] },
  "deploy.yml": { workflow_runs: [run("success"), run("success"), run("success")] },
  "deployments?": [{}, {}],
  environments: { environments: [{ protection_rules: [{}] }] },
  "issues?": [{ title: "Drift: shop" }],
};
const bad = {
  "plan.yml": { workflow_runs: [run("failure")] },
  comments: [comment, comment],
  artifacts: { artifacts: [artifact(1), artifact(1)] },
  "deploy.yml": { workflow_runs: [run("success"), run("cancelled"), run("success")] },
  "deployments?": [{}],
  environments: { environments: [{ protection_rules: [] }] },
  "issues?": [],
};

test.each<[string, Readonly<Record<string, unknown>>, Result]>([
  ["shows them", good, "passed"],
  ["doesn't show them", bad, "failed"],
  ["doesn't answer", {}, "not checked"],
])("all facts are reported if the repository %s", (_, answers, expected) => {
  const ask = (path: string) => Object.entries(answers).find(([part]) => path.includes(part))?.[1];
  const results = verify(scratch, ask).map(({ result }) => result);
  expect(results).toEqual(verifications(scratch).map(() => expected));
});

test("the page lists each fact with its step", () => {
  const path = join(import.meta.dirname, "../../docs/project/verification.md");
  const page = readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
  for (const { fact, prepare } of verifications(scratch))
    expect(page.toLowerCase()).toContain(`${prepare} ${fact}.`.toLowerCase());
});

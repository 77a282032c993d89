import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { ActionContext } from "../../../src/action/context.ts";
import { requireMerged } from "../../../src/action/pull-requests/require-merged.ts";
import { runAction } from "../../../src/action/run-action.ts";
import type { Matrix } from "../../../src/config/matrix.ts";
import { openRepository } from "../../../src/io/git/repository.ts";
import type { GitRepository } from "../../../src/ports/git.ts";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import {
  type DeploymentResult,
  missingResult,
  resultText,
} from "../../../src/report/result-file.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { useFakeGitHub } from "../../support/fake-github/use.ts";
import { environment, GitFixture } from "../../support/git/git-fixture.ts";
import { asStep, stepEnvironment } from "../../support/plan/step.ts";

/**
 * Runs a fleet on deploy.yml, without clusters: the real list of jobs, the requests of each job to
 * GitHub's API, and the real report. The numbers are those of docs/project/performance.md. For
 * other sizes, see test/unit/config/fleet-figures.test.ts.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());
const github = useFakeGitHub();
const [levels, perLevel] = [10, 30];

const config = `modules:
  - name: fleet.example/adapters
    local: {path: ../adapters}
designPatterns:
  - pattern: fleet.example/adapters/web
    params: {name: $(params.name)}
params:
  - {name: name, type: string}
`;
const adapter = `package web

DesignPattern: {
	parameters: name: string
	resources: app: web: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "ConfigMap"
		metadata: name: parameters.name
	}
}
`;

/**
 * Creates the fleet. Each deployment of a level waits for one of the previous level; a third of
 * each level is production.
 */
function fleet(): GitFixture {
  const git = new GitFixture();
  const deployments = Array.from({ length: levels * perLevel }, (_, index) => ({
    name: nameOf(index),
    config: "qvs.yaml",
    params: ["params.yaml"],
    environment: index % 3 === 0 ? "production" : "staging",
    namespace: nameOf(index),
    dependsOn: index < perLevel ? [] : [nameOf(index - perLevel)],
  }));
  git.write(".valuestream/deployments.yaml", JSON.stringify({ deployments }));
  git.write(".valuestream/qvs.yaml", config);
  git.write(".valuestream/params.yaml", "name: web\n");
  git.write(
    "adapters/cue.mod/module.cue",
    'module: "fleet.example/adapters"\nlanguage: version: "v0.12.0"\n',
  );
  git.write("adapters/web/web.cue", adapter);
  return git;
}

function nameOf(index: number): string {
  return `app-${String(index).padStart(3, "0")}`;
}

/** Runs the Action on a push, or on the pull request with the same commits. Returns its outputs. */
async function act(
  git: GitFixture,
  before: string,
  inputs: Readonly<Record<string, string>>,
  event: "push" | "pull_request" = "push",
) {
  const after = git.git("rev-parse", "HEAD");
  const repository = { default_branch: "main", full_name: "acme/fleet" };
  const side = (sha: string) => ({ sha, repo: repository });
  const pull_request = { number: 7, base: side(before), head: side(after) };
  const payload = { before, after, ref: "refs/heads/main", repository };
  const step = stepEnvironment(event === "push" ? payload : { pull_request, repository }, {
    ...environment,
    GITHUB_EVENT_NAME: event,
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: after,
    GITHUB_REPOSITORY: "acme/fleet",
    GITHUB_WORKSPACE: git.directory,
    GITHUB_API_URL: github().apiUrl,
  });
  vi.stubEnv("INPUT_TOKEN", "token");
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name}`, value);
  const { log, exitCode } = await asStep(() => runAction(step.env, compiler));
  vi.unstubAllEnvs();
  expect(exitCode, log).toBeUndefined();
  vi.stubEnv("GITHUB_OUTPUT", "");
  const values = step.outputs().matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n?^\2$/gm);
  const outputs = Array.from(values, ([, name = "", , value = ""]) => [name, value]);
  return Object.fromEntries([...outputs, ["summary", step.summary()]]);
}

/** Sends the requests of a job to GitHub, and writes its result. */
async function job(
  repository: GitRepository | undefined,
  folder: string,
  name: string,
  deployments: readonly string[],
) {
  const context = {
    world: { repository, signal: new AbortController().signal, hasChanged: () => false },
    env: { GITHUB_API_URL: github().apiUrl },
    repository: { owner: "acme", repo: "fleet" },
  } as unknown as ActionContext;
  await requireMerged("main", { token: "token" }, context);
  const results = deployments.map((deployment): DeploymentResult => {
    const { outcome } = missingResult(deployment);
    const changes = { create: 1, update: 0, replace: 0, delete: 0 };
    return {
      outcome: { ...outcome, succeeded: true, refusal: undefined, revision: 1 },
      changes,
      digest: "d",
    };
  });
  mkdirSync(join(folder, `qvs-result-${name}`));
  writeFileSync(join(folder, `qvs-result-${name}`, "result.json"), resultText(results, "c0ffee"));
}

test("300 deployments in ten levels have correct jobs, approvals and order, few requests to GitHub and one comment", async () => {
  const git = fleet();
  const before = git.commit({});
  const after = git.commit({ "adapters/web/web.cue": `${adapter}// changed\n` });
  github().state.branches.set("main", [before, after]);
  github().state.pulls.push({ number: 7, mergeCommit: after });
  github().state.add(7, "github-actions[bot]", commentMarker);
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  const previewed = await act(git, before, { MODE: "list" }, "pull_request");
  const previews: Matrix = JSON.parse(previewed.matrix ?? "");
  const placeOf = ({ environment, deployments }: Matrix["levels"][number]["jobs"][number]) =>
    `${deployments.length} of ${environment}`;
  expect(previews.levels.map(({ jobs }) => jobs.map(placeOf))).toEqual([
    ["100 of production", "200 of staging"],
  ]);
  expect(github().requests).toEqual([]);

  const repository = await openRepository(git.directory, environment);
  const listed = await act(git, before, { MODE: "list" });
  const matrix: Matrix = JSON.parse(listed.matrix ?? "");
  // Reviewers of the environments read it before the first job starts.
  expect(listed.summary?.match(/^\| app-\d+ \| (?:staging|production) \|/gm)?.length).toBe(300);
  expect(previewed.summary).toBe("");
  const done = new Set<string>();
  let approvals = 0;
  for (const level of matrix.levels) {
    approvals += new Set(level.jobs.map((each) => each.environment)).size;
    for (const { deployments } of level.jobs)
      for (const name of deployments) {
        const index = Number(name.slice(4));
        if (index >= perLevel) expect(done).toContain(nameOf(index - perLevel));
      }
    for (const { name, deployments } of level.jobs) {
      await job(repository, folder, name, deployments);
      for (const each of deployments) done.add(each);
    }
  }
  const reported = await act(git, before, {
    MODE: "report",
    RESULTS: folder,
    EXPECTED: listed.deployments ?? "",
  });

  const jobs = matrix.levels.flatMap((level) => level.jobs).length + 2;
  const requests = github().requests.length;
  const [comment] = github().state.comments;
  expect(
    `${done.size} deployments in ${matrix.levels.length} levels: ${jobs} jobs, ${approvals} approvals at most, ${requests} requests`,
  ).toBe("300 deployments in 10 levels: 302 jobs, 20 approvals at most, 306 requests");
  expect(requests).toBeLessThan(1000);
  expect(reported["to-create"]).toBe("300");
  expect(comment?.body.length).toBeLessThan(65_536);
  expect(comment?.body).toContain("Deployed app-000");
});

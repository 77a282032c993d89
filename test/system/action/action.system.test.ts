import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import { runAct, type WorkflowResult, type WorkflowRun } from "../../support/action/act.ts";
import { zip } from "../../support/action/zip.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { startWatchedServer } from "../../support/servers/watched-server.ts";
import {
  pullRequestEvent as pullRequestPayload,
  pushEvent,
  repository,
} from "../../support/shop/events.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests the life of one pull request through the Action itself: the callers in workflows/, the
 * reusable workflows that they use, the built bundle, a real control plane and a fake GitHub. The
 * tests build on each other, like the events.
 */
const cluster = useCluster();
const pullRequest = 7;

/** The directory of artifacts. */
const uploads = mkdtempSync(join(tmpdir(), "uploads-"));

let github: FakeGitHub;
let namespace: string;
let shop: ShopRepository;
/** The head commits of the two branches. */
let main: string;
let head: string;

beforeAll(async () => {
  [github, namespace] = await Promise.all([startFakeGitHub(), cluster.namespace("action")]);
  shop = createShopRepository(namespace);
});

afterAll(async () => {
  shop.remove();
  rmSync(uploads, { recursive: true, force: true });
  await github.close();
  expect(github.violations).toEqual([]);
});

test("the first push to main deploys", async () => {
  main = shop.commitParams({ version: "1", greeting: "hello" });
  const log = await run("push", "deploy.yml", pushEvent("0".repeat(40), main));
  expect(await image()).toBe("shop:1");
  expect(outputsIn(log)).toMatchObject({ changed: "true", "to-create": "2", release: "1" });
});

test("a pull request gets one comment with its changes", async () => {
  shop.branch("feature");
  head = shop.commitParams({ version: "2", greeting: "hello" });
  await run("pull_request", "plan.yml", pullRequestEvent(head));
  const [comment, ...others] = comments();
  expect(others).toEqual([]);
  expect(comment?.split("\n")[0]).toBe(commentMarker);
  expect(comment).toContain(`Deployment ${namespace}/web`);
  expect(comment).toContain("image: shop:2");
  expect(comment).not.toMatch(/(?:`|<code>)ConfigMap/);
  expect(readFileSync(join(uploads, "qvs-preview.html"), "utf8")).toContain(
    `Deployment ${namespace}/web`,
  );
  expect(await image()).toBe("shop:1");
});

test("a push to its branch changes the same comment", async () => {
  const [first] = github.state.comments;
  head = shop.commitParams({ version: "2", greeting: "good day" });
  await run("pull_request", "plan.yml", pullRequestEvent(head));
  expect(github.state.comments.map(({ id }) => id)).toEqual([first?.id]);
  expect(comments()[0]).toContain(`ConfigMap ${namespace}/settings`);
  expect(comments()[0]).toContain(head.slice(0, 12));
  // `QVS_SAVE_COMMENT=FILE npm test` saves it for the screenshot in the README.
  const file = process.env.QVS_SAVE_COMMENT;
  if (file !== undefined) writeFileSync(file, comments()[0] ?? "");
});

test("planning the same commit again writes nothing to GitHub", async () => {
  const before = github.requests.length;
  await run("pull_request", "plan.yml", pullRequestEvent(head));
  const asked = github.requests.slice(before);
  expect(asked).not.toEqual([]);
  expect(asked.filter((request) => /^(POST|PATCH|DELETE) .repos/.test(request))).toEqual([]);
});

test("the merge deploys appSetup, then app, and the comment shows the outcome", async () => {
  const before = (await cluster.auditWrites(namespace)).length;
  const merged = shop.merge("feature");
  github.state.pulls.push({ number: pullRequest, mergeCommit: merged, head });
  const log = await run("push", "deploy.yml", pushEvent(main, merged));
  const writes = (await cluster.auditWrites(namespace)).slice(before);
  expect(writes.filter((write) => /ConfigMap|Deployment/.test(write))).toEqual([
    `patch ConfigMap ${namespace}/settings`,
    `patch Deployment ${namespace}/web`,
  ]);
  expect(comments()).toHaveLength(1);
  expect(comments()[0]).toMatch(/✅ Deployed shop.* as release 2/);
  expect(comments()[0]).toContain(`The plan matches the plan approved in #<!-- -->${pullRequest}`);
  expect(log).not.toContain("No one approved");
  main = merged;
});

test("a plan after the merge keeps the outcome in the comment, and a closed pull request gets no plan", async () => {
  await run("pull_request", "plan.yml", pullRequestEvent(head));
  expect(comments()[0]).toMatch(/✅ Deployed shop.* as release 2/);
  const before = comments();
  const log = await run("pull_request", "plan.yml", {
    ...pullRequestEvent(head),
    action: "closed",
  });
  expect(log).toContain(`Pull request #${pullRequest} is closed`);
  expect(comments()).toEqual(before);
});

test("a comment that GitHub rejects is a warning, and the deployment succeeds", async () => {
  const before = main;
  main = shop.commitParams({ version: "3", greeting: "good evening" });
  github.failNext(403, 1, { part: "/pulls" });
  const log = await run("push", "deploy.yml", pushEvent(before, main));
  expect(log).toContain("permissions: pull-requests: write");
  expect(log).not.toContain("A bug in qvs");
  expect(await image()).toBe("shop:3");
});

test("a manual start without a release lists them, and a dry run shows the plan", async () => {
  const before = await image();
  const start = (more: Readonly<Record<string, string>>) =>
    run("workflow_dispatch", "rollback.yml", {
      inputs: { deployment: "shop", ...more },
      ...{ repository, ref: "refs/heads/main" },
    });
  const list = await start({ revision: "" });
  expect(list).toContain("releases to roll back to");
  expect(list).toMatch(/1 .*succeeded/);
  const plan = await start({ revision: "1", "dry-run": "true" });
  expect(plan).toContain("Preview of a rollback to release 1");
  expect(plan).toMatch(/\+image: .*shop:1/);
  expect(outputsIn(plan)).toMatchObject({ changed: "true", "to-create": "0" });
  expect(await image()).toBe(before);
});

test("a manual start rolls back to an earlier release", async () => {
  const inputs = { deployment: "shop", revision: "1" };
  const event = { inputs, repository, ref: "refs/heads/main" };
  const log = await run("workflow_dispatch", "rollback.yml", event);
  expect(await image()).toBe("shop:1");
  expect(outputsIn(log)).toMatchObject({ changed: "true", "to-create": "0" });
});

test("drift.yml opens an issue on a schedule, updates it, and closes it after the correction", async () => {
  const greet = (greeting: string) => {
    const patch = JSON.stringify({ data: { greeting } });
    const edit = ["configmap", "settings", "-n", namespace, "--field-manager=kubectl-edit"];
    return cluster.kubectl("patch", ...edit, "-p", patch);
  };
  const scheduled = { schedule: "17 5 * * *", repository };
  await greet("by hand");
  const log = await run("schedule", "drift.yml", scheduled);
  expect(outputsIn(log)).toMatchObject({ drifted: "true" });
  const [issue, ...others] = github.state.issues;
  expect(others).toEqual([]);
  expect(issue).toMatchObject({ title: "Drift: shop", state: "open" });
  expect(issue?.body).toContain("kubectl-edit");

  await cluster.kubectl("delete", "deployment", "web", "-n", namespace);
  await run("schedule", "drift.yml", scheduled);
  expect(github.state.issues).toEqual([issue]);
  expect(issue?.body).toContain("1 changed, 1 missing");

  const event = { inputs: { reconcile: "true" }, repository, ref: "refs/heads/main" };
  const corrected = await run("workflow_dispatch", "drift.yml", event);
  expect(outputsIn(corrected)).toMatchObject({ drifted: "false" });
  expect(github.state.issues).toEqual([issue]);
  expect(issue).toMatchObject({ state: "closed", reason: "completed" });
  expect(await image()).toBe("shop:1");
});

test("a pull request from a fork is planned without the cluster, and nothing is written to GitHub", async () => {
  shop.branch("from-a-fork");
  const tip = shop.commitParams({ version: "3", greeting: "hi" });
  const before = github.requests.length;
  const watched = await startWatchedServer();
  const secrets = { KUBECONFIG: watched.kubeconfig };
  const event = pullRequestEvent(tip, "stranger/shop");
  const log = await run("pull_request", "plan.yml", event, secrets);
  expect(github.requests.slice(before)).toEqual([]);
  expect(log).toContain("pull requests from forks get no credentials");
  expect(watched.requests).toEqual([]);
  await commentedAfterwards(tip);
  // The same workflow sends requests to the cluster for a branch of the repository itself.
  await attempt("pull_request", "plan.yml", pullRequestEvent(tip), secrets);
  expect(watched.requests).not.toEqual([]);
});

/** Returns the plan of a job. The workflow gives each list of deployments its own file name. */
function planIn(folder: string): string {
  return readdirSync(folder).find((name) => /^qvs-plan-[0-9a-f]{12}$/.test(name)) ?? "";
}

/**
 * Runs the workflow on `workflow_run` after the fork's run. It reads only the artifact of that run.
 */
async function commentedAfterwards(tip: string): Promise<void> {
  const from = { number: 12, branch: "feature", from: "stranger/shop", head: tip };
  github.state.openPulls.push(from);
  const plan = JSON.parse(readFileSync(join(uploads, planIn(uploads), "plan.json"), "utf8"));
  const content = JSON.stringify({ ...plan, pullRequest: 12 });
  const archive = zip([{ name: "plan.json", content }]);
  github.state.artifacts.push({ id: 1, run: 42, name: "qvs-plan", zip: archive });
  const workflow_run = {
    ...{ id: 42, event: "pull_request", actor: { login: "stranger" }, conclusion: "success" },
    ...{ html_url: "https://github.com/acme/shop/actions/runs/42", head_sha: tip },
    ...{ head_branch: "feature", head_repository: { full_name: "stranger/shop" } },
  };
  const event = { action: "completed", workflow_run, repository };
  await run("workflow_run", "comment.yml", event, {});
  const comment = github.state.comments.find(({ issue }) => issue === 12)?.body;
  expect(comment).toContain(
    "> This preview comes from an artifact of a run in the fork `stranger/shop`.",
  );
  expect(comment).toContain("greeting: hi");
  // A run of the repository itself has already written its comment.
  const own = { ...workflow_run, head_repository: { full_name: "acme/shop" } };
  const log = await run("workflow_run", "comment.yml", { ...event, workflow_run: own }, {});
  expect(log).not.toContain("Main Comment");
}

test("a workflow that would deploy pull requests is rejected before any request to the cluster", async () => {
  const watched = await startWatchedServer();
  const secrets = { KUBECONFIG: watched.kubeconfig };
  for (const from of ["stranger/shop", "acme/shop"]) {
    const event = pullRequestEvent(main, from);
    const result = await attempt("pull_request", "careless.yml", event, secrets);
    expect(result.succeeded, result.log).toBe(false);
    expect(result.log).toContain("Mode deploy can't run on the event pull_request");
  }
  expect(watched.requests).toEqual([]);
});

test("a pull request that doesn't compile fails, and its comment shows the place and the reason", async () => {
  const tip = shop.commitParams({ version: "3" });
  // The previous pull request is merged, and keeps its comment.
  const next = pullRequest + 1;
  const event = pullRequestEvent(tip, repository.full_name, next);
  const result = await attempt("pull_request", "plan.yml", event);
  expect(result.succeeded, result.log).toBe(false);
  expect(result.log).toContain(",file=.valuestream/qvs.yaml,line=10,col=");
  expect(comments(next)).toHaveLength(1);
  expect(comments(next)[0]).toContain("## 🛑 Blocked: `shop` doesn't compile");
  expect(comments(next)[0]).toContain("greeting");
});

/** Runs a workflow that must succeed. Returns its log. */
async function run(...event: Parameters<typeof attempt>): Promise<string> {
  const result = await attempt(...event);
  expect(result.succeeded, result.log).toBe(true);
  return result.log;
}

function attempt(
  eventName: WorkflowRun["eventName"],
  workflow: string,
  event: object,
  secrets: WorkflowRun["secrets"] = { KUBECONFIG: readFileSync(cluster.kubeconfig, "utf8") },
): Promise<WorkflowResult> {
  return runAct({
    repository: shop.folder,
    workflow: `.github/workflows/${workflow}`,
    eventName,
    event,
    env: { GITHUB_API_URL: github.apiUrl },
    uploads,
    secrets,
  });
}

function pullRequestEvent(head: string, from?: string, number = pullRequest): object {
  return pullRequestPayload({ number, from, base: main, head });
}

/** Returns the outputs of a step in the format of act's log. */
function outputsIn(log: string): Readonly<Record<string, string>> {
  const set = log.matchAll(/::set-output:: ([a-z-]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(set, ([, name, value]) => [name, value]));
}

function comments(number = pullRequest): readonly string[] {
  const own = github.state.comments.filter(({ issue }) => issue === number);
  return own.map((comment) => comment.body);
}

function image(): Promise<string> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  return cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", path);
}

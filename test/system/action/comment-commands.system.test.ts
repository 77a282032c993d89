import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runAct, type WorkflowRun } from "../../support/action/act.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";
import { startWatchedServer } from "../../support/servers/watched-server.ts";
import { pullRequestEvent, repository } from "../../support/shop/events.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests commands in comments through the callers in workflows/, the reusable workflows and the
 * built bundle. The workflows that a command starts run afterwards, on a real control plane. The
 * rollbacks build on each other.
 */
const cluster = useCluster();
const uploads = mkdtempSync(join(tmpdir(), "uploads-"));
const pullRequest = 7;

let github: FakeGitHub;
let namespace: string;
let shop: ShopRepository;
let main: string;
let nextId = 100;

beforeAll(async () => {
  [github, namespace] = await Promise.all([startFakeGitHub(), cluster.namespace("commands")]);
  shop = createShopRepository(namespace);
  for (const version of ["1", "2", "3"]) {
    main = shop.commitParams({ version, greeting: "hello" });
    const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
    const deployed = await runQvs(shop.folder, ["deploy", "--quiet"], env);
    expect(deployed.code, deployed.stderr).toBe(0);
  }
  const { state } = github;
  state.branches.set("main", [main]);
  state.collaborators.set("ada", "write").set("grace", "admin").set("stranger", "read");
  state.collaborators.set("relay[bot]", "write");
  state.workflows.add("rollback.yml");
});

afterAll(async () => {
  shop.remove();
  rmSync(uploads, { recursive: true, force: true });
  await github.close();
  expect(github.violations).toEqual([]);
});

test("only a new comment that begins with a command starts a job", async () => {
  const { requests } = github;
  const before = requests.length;
  await comment("> /qvs rollback shop", "ada");
  await comment("```\n/qvs rollback shop\n```", "ada");
  await comment("/qvs rollback shop", "ada", { action: "edited" });
  expect(requests.slice(before)).toEqual([]);
});

test.each([
  ["a user who can only read", "/qvs plan", "stranger", ["GET collaborators/stranger/permission"]],
  // An app can repeat text of anyone, so its permissions don't matter.
  ["an app", "/qvs rollback shop", "relay[bot]", []],
])("the command of %s is denied without a comment, and no cluster is asked", async (...row) => {
  const [, body, login, asked] = row;
  const { requests, state } = github;
  const before = requests.length;
  const watched = await startWatchedServer();
  const { id, log } = await comment(body, login, {}, { KUBECONFIG: watched.kubeconfig });
  const paths = requests.slice(before).map((each) => each.replace("/repos/acme/shop/", ""));
  expect(paths).toEqual([...asked, `POST issues/comments/${id}/reactions`]);
  expect(state.reactions.at(-1)).toBe(`${id} -1`);
  expect(state.comments).toEqual([]);
  expect(state.dispatches).toEqual([]);
  expect(watched.requests).toEqual([]);
  expect(log).not.toContain("INPUT_KUBECONFIG");
});

test("an unknown command is answered with the commands, and starts nothing", async () => {
  const { id } = await comment("/qvs rolback shop", "ada");
  expect(reactionsTo(id)).toEqual(["eyes", "confused"]);
  expect(answers().at(-1)).toContain("Did you mean `rollback`?");
  expect(answers().at(-1)).toContain("`/qvs rollback DEPLOYMENT [REVISION]`");
  expect(github.state.dispatches).toEqual([]);
});

test("/qvs plan previews the commit that the branch has now", async () => {
  shop.branch("feature");
  const old = shop.commitParams({ version: "4", greeting: "hello" });
  const head = shop.commitParams({ version: "4", greeting: "good day" });
  const { openPulls, runs } = github.state;
  const branch = { branch: "feature", from: "acme/shop" };
  openPulls.push({ number: pullRequest, head, ...branch });
  const workflow = { workflow: "plan.yml", status: "completed", attempts: 1 } as const;
  // The author looked at the run of the old commit, and then a commit was pushed.
  runs.push({ id: 2, commit: head, ...branch, ...workflow });
  runs.push({ id: 3, commit: old, ...branch, ...workflow });
  shop.checkout("main");
  const { id } = await comment("/qvs plan", "grace");
  expect(reactionsTo(id)).toEqual(["eyes", "rocket"]);
  expect(runs.map((each) => [each.commit, each.attempts])).toEqual([
    [head, 2],
    [old, 1],
  ]);
  shop.checkout("feature");
  const event = pullRequestEvent({ number: pullRequest, base: main, head });
  await run({ eventName: "pull_request", workflow: "plan.yml", event });
  expect(answers().at(-1)).toContain(head.slice(0, 12));
  expect(answers().at(-1)).toContain("image: shop:4");
  shop.checkout("main");
});

test("/qvs plan repeats the preview of a fork's commit, in the run without secrets", async () => {
  const { openPulls, runs } = github.state;
  const tip = "f".repeat(40);
  openPulls.push({ number: 9, branch: "feature", from: "stranger/shop", head: tip });
  runs.push({ id: 77, workflow: "plan.yml", commit: tip, status: "completed", attempts: 1 });
  const before = github.requests.length;
  await comment("/qvs plan", "ada", { number: 9 });
  expect(runs.find((each) => each.id === 77)).toMatchObject({ attempts: 2 });
  expect(github.requests.slice(before)).toContain("POST /repos/acme/shop/actions/runs/77/rerun");
});

test("two users who request the same rollback restore one release", async () => {
  const first = await comment("/qvs rollback shop", "ada");
  await comment("/qvs rollback shop", "grace");
  expect(reactionsTo(first.id)).toEqual(["eyes", "rocket"]);
  expect(answers().at(-2)).toContain("**Rollback of `shop` to the previous release started**");
  const [one, other] = github.state.dispatches;
  expect((await runStarted(one)).log).toContain("rollback to release 2");
  expect(await image()).toBe("shop:2");
  const again = await runStarted(other);
  expect(again.log).toContain("Release 2 has the same objects as the current release 4");
  expect(await image()).toBe("shop:2");
});

test("a later request doesn't undo the rollback", async () => {
  const inputs = { deployment: "shop", revision: `previous@${secondFromNow()}` };
  const refused = await runStarted({ workflow: "rollback.yml", ref: "main", inputs }, false);
  expect(refused.log).toContain("Release 4 is already a rollback to release 2");
  expect(refused.log).toContain("revision: 3");
  expect(await image()).toBe("shop:2");
});

test("/qvs rollback with a number restores this release", async () => {
  await comment("/qvs rollback shop 1", "ada");
  expect(answers().at(-1)).toContain("**Rollback of `shop` to release `1` started**");
  await runStarted(github.state.dispatches.at(-1));
  expect(await image()).toBe("shop:1");
});

interface CommentFacts {
  readonly action?: string;
  readonly number?: number;
}

/** Runs command.yml for a comment on a pull request. The run must succeed. */
async function comment(
  body: string,
  login: string,
  { action = "created", number = pullRequest }: CommentFacts = {},
  secrets: WorkflowRun["secrets"] = {},
) {
  const id = nextId++;
  const user = { login, type: login.endsWith("[bot]") ? "Bot" : "User" };
  const said = { id, body, created_at: secondFromNow(), user };
  const event = { action, issue: { number, pull_request: {} }, comment: said, repository };
  const { log } = await run({
    ...{ eventName: "issue_comment", workflow: "command.yml", event, secrets },
  });
  return { id, log };
}

/** Runs a workflow that a command started. */
async function runStarted(
  started: FakeGitHub["state"]["dispatches"][number] | undefined,
  succeeds = true,
) {
  const { workflow = "", ref, inputs } = started ?? {};
  const event = { inputs, repository, ref: `refs/heads/${ref}` };
  return run({ eventName: "workflow_dispatch", workflow, event, succeeds });
}

interface StartedRun extends Pick<WorkflowRun, "eventName" | "workflow" | "event"> {
  readonly secrets?: WorkflowRun["secrets"];
  readonly succeeds?: boolean;
}

async function run({ workflow, secrets, succeeds = true, ...started }: StartedRun) {
  const result = await runAct({
    ...started,
    repository: shop.folder,
    workflow: `.github/workflows/${workflow}`,
    // qvs recognizes another attempt of a run by its ID, and act's default is the same for all.
    env: { GITHUB_API_URL: github.apiUrl, GITHUB_RUN_ID: `${nextId++}` },
    uploads,
    secrets: secrets ?? { KUBECONFIG: readFileSync(cluster.kubeconfig, "utf8") },
  });
  expect(result.succeeded, result.log).toBe(succeeds);
  return result;
}

/** Returns the end of this second, as GitHub writes times. Releases have milliseconds. */
function secondFromNow(): string {
  return new Date(Math.ceil(Date.now() / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

function reactionsTo(id: number): readonly string[] {
  return github.state.reactions
    .map((each) => each.split(" "))
    .filter(([on]) => on === `${id}`)
    .map(([, content = ""]) => content);
}

function answers(): readonly string[] {
  return github.state.comments.map(({ body }) => body);
}

function image(): Promise<string> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  return cluster.kubectl("get", "deployment", "web", "-n", namespace, "-o", path);
}

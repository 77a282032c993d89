import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commentMarker } from "../../../src/report/comment/render-comment.ts";
import { actionPath, runAct, type WorkflowRun } from "../../support/action/act.ts";
import { type RunningCluster, startCluster } from "../../support/cluster/start.ts";
import { clusterAt, type TestCluster, useCluster } from "../../support/cluster/use-cluster.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { pushEvent, repository } from "../../support/shop/events.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests staging and production as separate control planes. Only the GitHub environment of each has
 * its kubeconfig. One caller uses deploy.yml with its levels. The tests build on each other.
 * docs/deploy/promote.md describes the parts that `act` can't test.
 */
const staging = useCluster();
let other: RunningCluster;
let production: TestCluster;
let github: FakeGitHub;
let shop: ShopRepository;
const folder = mkdtempSync(join(tmpdir(), "environments-"));
const environments = join(folder, "kubeconfigs");
const namespace = "environments";
let main: string;
/** The push of version 3. */
let third: { readonly before: string; readonly after: string };

beforeAll(async () => {
  [github, other] = await Promise.all([startFakeGitHub(), startCluster({ nodes: 1 })]);
  production = clusterAt(other);
  mkdirSync(environments);
  for (const [name, cluster] of Object.entries({ staging, production })) {
    await cluster.kubectl("create", "namespace", namespace);
    for (const environment of [name, `${name}-plan`])
      writeFileSync(join(environments, environment), readFileSync(cluster.kubeconfig, "utf8"));
  }
  shop = createShopRepository(namespace, [
    { name: "shop-production", environment: "production", dependsOn: ["shop-staging"] },
    { name: "shop-staging", environment: "staging" },
  ]);
});

afterAll(async () => {
  shop.remove();
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([github.close(), other.stop()]);
  expect(github.violations).toEqual([]);
});

test("a merge is deployed to staging, then to production, and one comment on the pull request reports both", async () => {
  main = shop.commitParams({ version: "1", greeting: "hello" });
  github.state.add(7, "github-actions[bot]", commentMarker);
  github.state.pulls.push({ number: 7, mergeCommit: main });
  const { succeeded, log } = await pushed("0".repeat(40), main);
  expect(succeeded, log).toBe(true);
  expect(await images()).toEqual(["shop:1", "shop:1"]);
  expect(jobsOf(log)).toEqual(["deploy", "shop-staging", "shop-production", "report"]);
  expect(github.state.comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(
      /✅ Deployed shop-production to production as release 1[\s\S]*✅ Deployed shop-staging to staging as release 1/,
    ),
  ]);
});

test("a failure in staging prevents the deployment to production and is reported", async () => {
  const before = main;
  const untouched = await production.auditWrites(namespace);
  await ownGreeting("hands off");
  main = shop.commitParams({ version: "2", greeting: "good day" });
  github.state.pulls.push({ number: 8, mergeCommit: main });
  const { succeeded, log, uploads } = await pushed(before, main);
  expect(succeeded, log).toBe(false);
  expect(jobsOf(log)).toEqual(["deploy", "shop-staging"]);
  expect(await production.auditWrites(namespace)).toEqual(untouched);
  expect(await images()).toEqual(["shop:1", "shop:1"]);
  await reported(uploads, before, main);
  const [, comment] = github.state.comments;
  expect(comment?.body).toContain("🛑 Failed to deploy shop-staging to staging");
  expect(comment?.body).toContain("The job of shop-production didn't run");
});

test("the next push deploys both after staging was fixed", async () => {
  const before = main;
  await ownGreeting("good evening");
  main = shop.commitParams({ version: "3", greeting: "good evening" });
  third = { before, after: main };
  const { succeeded, log } = await pushed(before, main);
  expect(succeeded, log).toBe(true);
  expect(await images()).toEqual(["shop:3", "shop:3"]);
});

test("an unchanged deployment has no job", async () => {
  const before = main;
  main = shop.commitFile("README.md", "The shop.");
  const { succeeded, log } = await pushed(before, main);
  expect(succeeded, log).toBe(true);
  expect(jobsOf(log)).toEqual(["deploy"]);
});

test("one deployment is rolled back in its environment", async () => {
  const inputs = { deployment: "shop-production", environment: "production", revision: "1" };
  const event = { inputs, repository, ref: "refs/heads/main" };
  const { succeeded, log } = await run("workflow_dispatch", "rollback.yml", event);
  expect(succeeded, log).toBe(true);
  expect(await images()).toEqual(["shop:3", "shop:1"]);
});

test("each environment compares and corrects its own control plane", async () => {
  const edit = ["configmap", "settings", "-n", namespace, "--field-manager=kubectl-edit"];
  const patch = JSON.stringify({ data: { greeting: "by hand" } });
  await production.kubectl("patch", ...edit, "-p", patch);
  main = shop.commitFile(".github/workflows/drifts.yml", drifts);
  const untouched = await staging.auditWrites(namespace);
  const inputs = { reconcile: "false" };
  const event = { inputs, repository, ref: "refs/heads/main" };
  const compared = await run("workflow_dispatch", "drifts.yml", event);
  expect(compared.succeeded, compared.log).toBe(true);
  const issues = () => github.state.issues.map(({ title, state }) => `${title}: ${state}`);
  expect(issues()).toEqual(["Drift: shop-production: open"]);
  expect(github.state.issues[0]?.body).toContain("kubectl-edit");

  const correcting = { ...event, inputs: { reconcile: "true" } };
  const corrected = await run("workflow_dispatch", "drifts.yml", correcting);
  expect(corrected.succeeded, corrected.log).toBe(true);
  expect(issues()).toEqual(["Drift: shop-production: closed"]);
  const greeting = ["get", "configmap", "settings", "-n", namespace, "-o", "jsonpath={.data}"];
  expect(await production.kubectl(...greeting)).not.toContain("by hand");
  expect(await staging.auditWrites(namespace)).toEqual(untouched);
});

test("a late run changes nothing and reports it", async () => {
  const before = main;
  main = shop.commitParams({ version: "4", greeting: "good evening" });
  const newest = await pushed(before, main);
  expect(newest.succeeded, newest.log).toBe(true);
  shop.checkout(third.after);
  const { succeeded, log } = await pushed(third.before, third.after);
  shop.checkout("main");
  expect(succeeded, log).toBe(true);
  expect(jobsOf(log)).toEqual(["deploy", "shop-staging", "shop-production", "report"]);
  expect(log).toContain(
    "Skipped shop-production in production: a newer commit is already deployed",
  );
  expect(await images()).toEqual(["shop:4", "shop:4"]);
});

test("two pull requests of a merge queue have one preview comment each and are deployed as shown", async () => {
  const base = shop.commitFile(".github/workflows/previews.yml", previews);
  shop.branch("version");
  const heads = [shop.commitParams({ version: "5", greeting: "good evening" })];
  await previewed(9, base, heads[0]);
  const comments = () => github.state.comments.filter(({ issue }) => issue > 8);
  expect(comments()[0]?.body).toContain("## 🟢 Ready · 2 deployments");
  expect(comments()[0]?.body.match(/-.*image: shop:4\n.*\+.*image: shop:5/g)).toHaveLength(1);
  expect(comments()[0]?.body).toMatch(/The same diff as in `shop-\w+` above: .*`Deployment /);
  shop.checkout("main");
  shop.branch("settings");
  const adapter = "adapters/web/main.cue";
  const text = readFileSync(join(shop.folder, adapter), "utf8");
  heads.push(shop.commitFile(adapter, text.replace("data: greeting:", 'data: more: "yes"\n$&')));
  await previewed(10, base, heads[1]);
  expect(comments().map(({ issue }) => issue)).toEqual([9, 10]);

  for (const [index, branch] of ["version", "settings"].entries()) {
    main = shop.merge(branch);
    github.state.pulls.push({ number: 9 + index, mergeCommit: main, head: heads[index] ?? "" });
  }
  github.state.queue.push(9, 10);
  const head_ref = `refs/heads/gh-readonly-queue/main/pr-10-${base}`;
  const group = { base_sha: base, head_sha: main, head_ref, base_ref: "refs/heads/main" };
  const queued = await run("merge_group", "previews.yml", { merge_group: group, repository });
  expect(queued.succeeded, queued.log).toBe(true);
  expect(previewsOf(queued.log)).toEqual(["list", "plan", "shop-production", "shop-staging"]);

  const merged = await pushed(base, main);
  expect(merged.succeeded, merged.log).toBe(true);
  expect(await images()).toEqual(["shop:5", "shop:5"]);
  for (const { body } of comments())
    expect(body.match(/The plan matches the plan approved/g)).toHaveLength(2);
});

test("a freeze of production prevents its deployment, and the pull request shows it", async () => {
  const before = main;
  const frozen = ["configmap", "qvs-freeze", "-n", namespace];
  await production.kubectl("create", ...frozen, "--from-literal=reason=Black Friday");
  const untouched = await production.auditWrites(namespace);
  main = shop.commitParams({ version: "6", greeting: "good evening" });
  github.state.pulls.push({ number: 11, mergeCommit: main });
  const { succeeded, log, uploads } = await pushed(before, main);
  expect(succeeded, log).toBe(false);
  expect(jobsOf(log)).toEqual(["deploy", "shop-staging", "shop-production"]);
  expect(await production.auditWrites(namespace)).toEqual(untouched);
  expect(await images()).toEqual(["shop:6", "shop:5"]);
  await reported(uploads, before, main);
  const body = github.state.comments.find(({ issue }) => issue === 11)?.body;
  expect(body).toMatch(/🛑 Failed to deploy shop-production[\s\S]*are frozen[\s\S]*Black Friday/);
  expect(body).toContain("✅ Deployed shop-staging to staging");
});

test("a run with a superseded staging leaves production to the newer run", async () => {
  const broken = main;
  await production.kubectl(
    "delete",
    "configmap",
    "qvs-freeze",
    "-n",
    namespace,
    "--ignore-not-found",
  );
  const adapter = "adapters/web/main.cue";
  const text = readFileSync(join(shop.folder, adapter), "utf8");
  const hangs = 'metadata: annotations: "test.qvs/behaviour": "never-ready"';
  shop.commitParams({ version: "7", greeting: "good evening" });
  main = shop.commitFile(
    adapter,
    text.replace(/metadata: labels: app: "web"$/m, `$&\n\t\t\t\t${hangs}`),
  );
  const older = main;
  const untouched = await production.auditWrites(namespace);
  const clone = join(folder, "clone");
  await promisify(execFile)("cp", ["-r", shop.folder, clone]);
  const overtaken = run("push", "deploy.yml", pushEvent(broken, older), clone);
  const image = "jsonpath={.spec.template.spec.containers[0].image}=shop:7";
  await staging.kubectl(
    "wait",
    "deployment/web",
    "-n",
    namespace,
    `--for=${image}`,
    "--timeout=600s",
  );
  main = shop.commitFile(adapter, text);
  const newer = await pushed(older, main);
  const { succeeded, log, uploads } = await overtaken;
  expect(newer.succeeded, newer.log).toBe(true);
  expect(succeeded, log).toBe(false);
  expect(jobsOf(log)).toEqual(["deploy", "shop-staging"]);
  const result = JSON.parse(
    readFileSync(join(uploads, resultIn(uploads, "shop-staging"), "result.json"), "utf8"),
  );
  expect(result.deployments).toMatchObject([{ deployment: "shop-staging", gaveWay: true }]);
  expect(await images()).toEqual(["shop:7", "shop:7"]);
  const writes = (await production.auditWrites(namespace)).slice(untouched.length);
  expect(writes.filter((write) => write.includes("Deployment"))).toHaveLength(1);
});

/**
 * Returns the result of a deployment. The workflow gives each list of deployments its own file
 * name.
 */
function resultIn(folder: string, deployment: string): string {
  return (
    readdirSync(folder).find(
      (name) => /^qvs-result-\d+-/.test(name) && name.endsWith(`-${deployment}`),
    ) ?? ""
  );
}

/**
 * A workflow with separate environments for previews, which requires approved plans and supports a
 * merge queue.
 */
const previews = `
on: [pull_request, merge_group]
jobs:
  plan:
    uses: ${actionPath(".github/workflows/plan.yml")}
    with: {environment-suffix: -plan, approved-plan: require}
`;

/** A workflow with one job per environment, as docs/operate/detect-drift.md shows it. */
const drifts = `
on:
  workflow_dispatch:
    inputs: {reconcile: {type: boolean}}
jobs:
  drift:
    strategy:
      fail-fast: false
      matrix:
        include:
          - {environment: staging-plan, deployment: shop-staging}
          - {environment: production-plan, deployment: shop-production}
    uses: ${actionPath(".github/workflows/drift.yml")}
    with:
      environment: \${{ matrix.environment }}
      deployment: \${{ matrix.deployment }}
      reconcile: \${{ inputs.reconcile }}
`;

async function previewed(number: number, base: string, head = ""): Promise<void> {
  const side = (ref: string, sha: string) => ({ repo: repository, ref, sha });
  const pull_request = { number, base: side("main", base), head: side("feature", head) };
  const event = { action: "opened", number, pull_request, repository };
  const { succeeded, log } = await run("pull_request", "previews.yml", event);
  expect(succeeded, log).toBe(true);
  expect(previewsOf(log)).toEqual(["list", "plan", "shop-production", "shop-staging"]);
  expect(jobsOf(log).at(-1)).toBe("plan");
}

/** Returns the sorted names of the preview jobs. act numbers the jobs of a matrix. */
function previewsOf(log: string): readonly string[] {
  return jobsOf(log)
    .map((name) => name.replace(/-\d$/, ""))
    .toSorted();
}

/**
 * Sets a field of qvs in staging as another field manager. It conflicts unless both declare the
 * same value.
 */
async function ownGreeting(greeting: string): Promise<void> {
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace },
  };
  const object = JSON.stringify({ ...settings, data: { greeting } });
  const apply = ["apply", "--server-side", "--force-conflicts", "--field-manager=somebody"];
  await staging.kubectlOutput([...apply, "-f", "-"], object);
}

function pushed(before: string, after: string) {
  return run("push", "deploy.yml", pushEvent(before, after));
}

/** Runs a workflow with its own artifacts. */
async function run(
  eventName: WorkflowRun["eventName"],
  workflow: string,
  event: object,
  checkedOut = shop.folder,
) {
  const uploads = mkdtempSync(join(folder, "uploads-"));
  const result = await runAct({
    repository: checkedOut,
    workflow: `.github/workflows/${workflow}`,
    eventName,
    event,
    env: { GITHUB_API_URL: github.apiUrl },
    uploads,
    secrets: {},
    environments,
  });
  return { ...result, uploads };
}

/**
 * Runs the job that reports results. act stops at the first called workflow that fails, but GitHub
 * continues with the jobs that require it.
 */
async function reported(uploads: string, before: string, after: string): Promise<void> {
  const event = join(folder, "event.json");
  writeFileSync(event, JSON.stringify(pushEvent(before, after)));
  const inputs = {
    INPUT_MODE: "report",
    INPUT_TOKEN: "token",
    INPUT_RESULTS: uploads,
    INPUT_EXPECTED: JSON.stringify(["shop-staging", "shop-production"]),
  };
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GITHUB_EVENT_NAME: "push",
    GITHUB_EVENT_PATH: event,
    GITHUB_REF: "refs/heads/main",
    GITHUB_SHA: after,
    GITHUB_REPOSITORY: repository.full_name,
    GITHUB_WORKSPACE: shop.folder,
    GITHUB_API_URL: github.apiUrl,
    RUNNER_TEMP: folder,
  };
  const main = join(import.meta.dirname, "../../../dist/index.js");
  await promisify(execFile)(process.execPath, [main], { env: { ...env, ...inputs } });
}

/** Returns the images in staging and production. */
async function images(): Promise<readonly string[]> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  const read = ["get", "deployment", "web", "-n", namespace, "-o", path];
  return Promise.all([staging, production].map((cluster) => cluster.kubectl(...read)));
}

/** Returns the jobs that ran, in the order in which they ended. */
function jobsOf(log: string): readonly string[] {
  return [...log.matchAll(/^\[.*?\/([^/\]]+?) *\].*Job (?:succeeded|failed)/gm)].map(
    ([, name = ""]) => name,
  );
}

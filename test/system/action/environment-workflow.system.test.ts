import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runAct } from "../../support/action/act.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { numberPlaceholder } from "../../support/environments/environment-shop.ts";
import { type OpenPull, repositoryId } from "../../support/fake-github/open-pulls.ts";
import { type FakeGitHub, startFakeGitHub } from "../../support/fake-github/server.ts";
import { createShopRepository, type ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests the life of an environment through the caller in workflows/, the reusable workflow and the
 * built bundle. The tests build on each other, like the events.
 */
const cluster = useCluster();
const uploads = mkdtempSync(join(tmpdir(), "uploads-"));
const pull: OpenPull = {
  ...{ number: 7, branch: "feature", from: "acme/shop", head: "", state: "open" },
};
const repository = { id: repositoryId, full_name: "acme/shop", default_branch: "main" };

let github: FakeGitHub;
let shop: ShopRepository;
let namespace: string;
let main: string;

beforeAll(async () => {
  [github, namespace] = await Promise.all([startFakeGitHub(), cluster.namespace("shop")]);
  const preview = { namespace: `${namespace}-pr-${numberPlaceholder}` };
  shop = createShopRepository(namespace, [{ name: "shop", preview }]);
  main = shop.commitParams({ version: "1", greeting: "hello" });
  shop.branch("feature");
  pull.head = shop.commitParams({ version: "2", greeting: "hello" });
  github.state.openPulls.push(pull);
});

afterAll(async () => {
  shop.remove();
  rmSync(uploads, { recursive: true, force: true });
  await github.close();
  expect(github.violations).toEqual([]);
});

test("a labeled pull request gets an environment with its commit", async () => {
  github.state.labels.set(7, ["preview"]);
  await run("labeled");
  const image = "jsonpath={.spec.template.spec.containers[0].image}";
  const deployed = await cluster.kubectl("get", "deployment", "web", "-n", place(), "-o", image);
  expect(deployed).toBe("shop:2");
  expect(comment()).toContain("✅ ready");
});

test("the schedule deletes an expired environment, except for the objects of others", async () => {
  await run("schedule");
  expect(await exists()).toBe(true);

  await expire();
  await cluster.kubectl("create", "configmap", "theirs", "-n", place());
  await run("schedule");
  const left = await cluster.kubectl("get", "deployments,configmaps", "-n", place(), "-o", "name");
  expect(left.trim().split("\n")).toEqual(["configmap/kube-root-ca.crt", "configmap/theirs"]);
  expect(comment()).toContain("not deleted");

  await cluster.kubectl("delete", "configmap", "theirs", "-n", place());
  await run("schedule");
  expect(await exists()).toBe(false);
  expect(await records()).toBe("");
  expect(comment()).toContain("has ended; the next commit creates it again");
});

test("closing the pull request deletes the environment with its namespace and records", async () => {
  await run("labeled");
  pull.state = "closed";
  await run("closed");
  expect(await exists()).toBe(false);
  expect(await records()).toBe("");
  expect(comment()).toContain("deleted");
});

function place(): string {
  return `${namespace}-pr-7`;
}

async function exists(): Promise<boolean> {
  return (await cluster.kubectl("get", "ns", place(), "--ignore-not-found", "-o", "name")) !== "";
}

function records(): Promise<string> {
  return cluster.kubectl("get", "secrets,leases", "-n", namespace, "-o", "name");
}

/** Shortens the recorded lifetime, which is at least a minute, to a millisecond. */
async function expire(): Promise<void> {
  const found = await cluster.kubectl("get", "secrets", "-n", namespace, "-o", "json");
  for (const secret of JSON.parse(found).items) {
    const packed = Object.entries<string>(secret.data).filter(([, text]) =>
      text.startsWith("H4sI"),
    );
    for (const [name, text] of packed) {
      const content = gunzipSync(Buffer.from(text, "base64")).toString();
      const shorter = content.replaceAll(/"ttlMs":\d+/g, '"ttlMs":1');
      secret.data[name] = gzipSync(shorter).toString("base64");
    }
    await cluster.apply(namespace, JSON.stringify(secret));
  }
}

async function run(action: "labeled" | "closed" | "schedule"): Promise<void> {
  const { number, state, head } = pull;
  const labels = [{ name: "preview" }];
  const sides = {
    base: { ref: "main", sha: main, repo: repository },
    head: { ref: "feature", sha: head, repo: repository },
  };
  const event = { number, state, user: { login: "dev" }, labels, ...sides };
  const isScheduled = action === "schedule";
  shop.checkout(isScheduled ? "main" : "feature");
  const { succeeded, log } = await runAct({
    repository: shop.folder,
    workflow: ".github/workflows/environment.yml",
    eventName: isScheduled ? "schedule" : "pull_request",
    event: isScheduled
      ? { schedule: "23 * * * *", repository }
      : { action, number, pull_request: event, repository },
    env: { GITHUB_API_URL: github.apiUrl },
    uploads,
    secrets: { PREVIEW_KUBECONFIG: readFileSync(cluster.kubeconfig, "utf8") },
  });
  expect(succeeded, log).toBe(true);
}

function comment(): string | undefined {
  const [own, ...others] = github.state.comments.filter(({ issue }) => issue === 7);
  expect(others).toEqual([]);
  return own?.body;
}

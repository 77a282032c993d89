import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  const place = `${namespace}-pr-7`;
  expect(await cluster.kubectl("get", "deployment", "web", "-n", place, "-o", image)).toBe(
    "shop:2",
  );
  expect(comment()).toContain("✅ ready");
});

test("closing the pull request deletes the environment with its namespace and records", async () => {
  pull.state = "closed";
  await run("closed");
  const place = ["get", "ns", `${namespace}-pr-7`, "--ignore-not-found", "-o", "name"];
  expect(await cluster.kubectl(...place)).toBe("");
  const records = ["get", "secrets,leases", "-n", namespace, "-o", "name"];
  expect(await cluster.kubectl(...records)).toBe("");
  expect(comment()).toContain("deleted");
});

async function run(action: string): Promise<void> {
  const { number, state, head } = pull;
  const labels = [{ name: "preview" }];
  const sides = {
    base: { ref: "main", sha: main, repo: repository },
    head: { ref: "feature", sha: head, repo: repository },
  };
  const event = { number, state, user: { login: "dev" }, labels, ...sides };
  const { succeeded, log } = await runAct({
    repository: shop.folder,
    workflow: ".github/workflows/environment.yml",
    eventName: "pull_request",
    event: { action, number, pull_request: event, repository },
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

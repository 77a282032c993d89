import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";
import type { ShopRepository } from "../../support/shop/shop-repository.ts";

/** Tests late, repeated and forced pushes with the Action on a real control plane. */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github, version } = action;

interface Pushes {
  readonly shop: ShopRepository;
  readonly namespace: string;
  /** Three commits. The image version is the number of the commit. */
  readonly commits: readonly [string, string, string];
}

async function threePushes(): Promise<Pushes> {
  const namespace = await cluster.namespace("pushes");
  const shop = action.shopIn(namespace);
  const commit = (version: string) => shop.commitParams({ version, greeting: "hello" });
  const commits = [commit("1"), commit("2"), commit("3")] as const;
  github().state.branches.set("main", commits);
  return { shop, namespace, commits: [...commits] };
}

interface Push {
  readonly folder: string;
  readonly before: string;
  readonly after: string;
  readonly attempt?: number;
  readonly inputs?: Readonly<Record<string, string>>;
}

/**
 * Runs the Action for a push, without a token, so it can't ask GitHub. For a restarted run, the
 * clone doesn't show whether its commit is merged.
 */
function push({ folder, before, after, attempt = 1, inputs: given }: Push) {
  const inputs = attempt === 1 ? given : { token: "token", ...given };
  const event = { before, after, ref: "refs/heads/main", repository: { default_branch: "main" } };
  const env = { GITHUB_RUN_ATTEMPT: String(attempt) };
  return action.act({ folder, name: "push", event, commit: after, inputs, env });
}

test("a late run in the queue is superseded, and a restarted one is rejected", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [first, second, third] = commits;
  const { folder } = shop;
  await push({ folder, before: first, after: third });
  expect(await version(namespace)).toBe("shop:3");

  const late = await push({ folder, before: first, after: second });
  expect(late.exitCode, late.log).toBeUndefined();
  expect(late.log).toContain("Skipped shop: a newer commit is already deployed");
  expect(late.log).toContain('is older than release 1 of "shop"');
  expect(late.log).toContain(`current release: ${third.slice(0, 12)}`);
  expect(late.summary).toContain("Skipped shop: a newer commit is already deployed");
  expect(await version(namespace)).toBe("shop:3");

  const again = await push({ folder, before: first, after: second, attempt: 2 });
  expect(again.exitCode).toBe(1);
  expect(again.log).toContain('is older than release 1 of "shop"');
  expect(again.log).toContain(`current release: ${third.slice(0, 12)}`);
  expect(again.log).toContain("--allow-older");
  expect(await version(namespace)).toBe("shop:3");

  const inputs = { "allow-older": "true" };
  const meant = await push({ folder, before: first, after: second, attempt: 2, inputs });
  expect(meant.exitCode, meant.log).toBeUndefined();
  expect(meant.log).toContain("is older than");
  expect(await version(namespace)).toBe("shop:2");
});

test("a restarted run doesn't deploy a deployment that a newer run has deployed and its commit didn't change", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [, second, third] = commits;
  const { folder } = shop;
  await push({ folder, before: second, after: third });
  // A comparison of a commit with itself shows no changes.
  const again = await push({ folder, before: second, after: second, attempt: 2 });
  expect(again.exitCode, again.log).toBeUndefined();
  expect(again.log).toContain("No deployment has changed.");
  expect(await version(namespace)).toBe("shop:3");
});

test("GitHub decides which commit is older if the clone is shallow", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [first, second, third] = commits;
  await push({ folder: shop.folder, before: second, after: third });
  const folder = shallowClone(shop.folder, second);
  github().state.branches.set("main", [first, second, third]);
  const late = await push({ folder, before: first, after: second, inputs: { token: "token" } });
  expect(late.exitCode, late.log).toBeUndefined();
  expect(late.log).toContain("Skipped shop: a newer commit is already deployed");
  expect(await version(namespace)).toBe("shop:3");
});

test("an unknown commit order is reported", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [first, second, third] = commits;
  await push({ folder: shop.folder, before: second, after: third });
  const folder = shallowClone(shop.folder, second);
  const unknown = await push({ folder, before: first, after: second });
  expect(unknown.exitCode, unknown.log).toBeUndefined();
  expect(unknown.summary).toContain("might be older than release 1");
  expect(await version(namespace)).toBe("shop:2");
});

test("everything is deployed after a forced push, with a notice", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [, , third] = commits;
  const before = "0123456789".repeat(4);
  const forced = await push({ folder: shop.folder, before, after: third });
  expect(forced.exitCode, forced.log).toBeUndefined();
  expect(forced.log).toContain("Commit 012345678901 before this push isn't in this clone");
  expect(await version(namespace)).toBe("shop:3");
});

test("a failed deployment shows the rollback command", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [, second, third] = commits;
  await push({ folder: shop.folder, before: second, after: third });
  execFileSync("git", ["checkout", "--quiet", "main"], { cwd: shop.folder });
  const adapter = join(shop.folder, "adapters/web/main.cue");
  const job = `
package web

DesignPattern: resources: app: job: {
	provider: "kubernetes", apiVersion: "batch/v1", kind: "Job", metadata: name: "broken"
	spec: backoffLimit: 0
	spec: template: {
		metadata: annotations: "test.qvs/behaviour": "job-fails"
		spec: {restartPolicy: "Never", containers: [{name: "web", image: "web:1"}]}
	}
}
`;
  writeFileSync(adapter.replace("main.cue", "broken.cue"), job);
  const broken = shop.commitParams({ version: "4", greeting: "hello" });
  const failed = await push({ folder: shop.folder, before: third, after: broken });
  expect(failed.exitCode, failed.log).toBe(1);
  const command = `qvs rollback --deployment shop --namespace ${namespace} --to 1`;
  expect(failed.log).toContain(command);
  expect(failed.summary).toContain(command);
});

test("a restarted rollback to the previous release doesn't undo itself", async () => {
  const { shop, namespace, commits } = await threePushes();
  const [first, second, third] = commits;
  const { folder } = shop;
  await push({ folder, before: first, after: second });
  await push({ folder, before: second, after: third });
  const rollBack = (run: string, attempt: number) =>
    action.act({
      folder,
      name: "workflow_dispatch",
      event: { ref: "refs/heads/main", repository: { default_branch: "main" } },
      commit: third,
      inputs: { revision: "previous", deployment: "shop", token: "token" },
      env: { GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: String(attempt) },
    });
  const back = await rollBack("7", 1);
  expect(back.exitCode, back.log).toBeUndefined();
  expect(await version(namespace)).toBe("shop:2");
  const again = await rollBack("7", 2);
  expect(again.exitCode, again.log).toBeUndefined();
  expect(await version(namespace)).toBe("shop:2");
  await rollBack("8", 1);
  expect(await version(namespace)).toBe("shop:3");
});

/** Clones like actions/checkout with `fetch-depth: 1`, with main at that commit. */
function shallowClone(from: string, commit: string): string {
  const folder = temporaryDirectory();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet");
  git("remote", "add", "origin", "https://github().com/acme/shop.git");
  git(
    "-c",
    "protocol.file.allow=always",
    "fetch",
    "--quiet",
    "--depth=1",
    `file://${from}`,
    commit,
  );
  git("update-ref", "refs/remotes/origin/main", commit);
  return folder;
}

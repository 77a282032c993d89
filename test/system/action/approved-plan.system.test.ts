import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { extraAdapter, useShopAction } from "../../support/shop/shop-action.ts";
import type { ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests that a merge deploys the plan in the comment of its pull request, with the Action, a real
 * control plane and a fake GitHub.
 */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github, push, version } = action;

interface Shop {
  readonly shop: ShopRepository;
  readonly namespace: string;
  /** The head of main, which is deployed. */
  readonly main: string;
}

async function deployedShop(): Promise<Shop> {
  const namespace = await cluster.namespace("approved");
  const shop = action.shopIn(namespace);
  const main = shop.commitParams({ version: "1", greeting: "hello" });
  const first = await push(shop, "0".repeat(40), main, { "approved-plan": "off" });
  expect(first.exitCode, first.log).toBeUndefined();
  return { shop, namespace, main };
}

/** Opens a pull request that changes the version, and previews it. Returns its head commit. */
async function propose({ shop, main }: Shop, number: number, version: string, branch = "feature") {
  shop.branch(branch);
  const head = shop.commitParams({ version, greeting: "hello" });
  const preview = await action.preview(shop, number, main, head);
  expect(preview.exitCode, preview.log).toBeUndefined();
  return head;
}

function merge({ shop }: Shop, number: number, head: string, branch = "feature"): string {
  return action.merge(shop, number, head, branch);
}

const required = { "approved-plan": "require" };

test("qvs deploys the plan in the comment, and the comment then shows the approval", async () => {
  const started = await deployedShop();
  const head = await propose(started, 7, "2");
  const before = github().requests.length;
  const merged = await push(started.shop, started.main, merge(started, 7, head), required);
  expect(merged.exitCode, merged.log).toBeUndefined();
  expect(await version(started.namespace)).toBe("shop:2");
  const [comment] = github().state.comments;
  expect(comment?.body).toContain("The plan matches the plan approved in #<!-- -->7");
  expect(merged.log).not.toContain("::warning");
  const asked = github().requests.slice(before);
  expect(asked.filter((each) => each.includes("graphql")).length).toBe(3);
});

test("a restarted run uses the approval at the time of the merge, not the current comment", async () => {
  const started = await deployedShop();
  const { shop, namespace, main } = started;
  const head = await propose(started, 7, "2");
  const mergeCommit = merge(started, 7, head);
  const [comment] = github().state.comments;
  if (comment === undefined) throw new Error("there is no comment");
  const seen = comment.body;
  github().state.edit(
    comment,
    "github-actions[bot]",
    seen.replace(/(?<=v1 [0-9a-f]{40}) [^ ]*/, ""),
  );
  const merged = await push(shop, main, mergeCommit, required);
  expect(merged.exitCode, merged.log).toBeUndefined();
  expect(await version(namespace)).toBe("shop:2");

  const other = await propose({ ...started, main: mergeCommit }, 8, "3", "feature-2");
  const late = github().state.comments.find(({ issue }) => issue === 8);
  if (late === undefined) throw new Error("there is no comment");
  const approving = late.body;
  github().state.edit(late, "github-actions[bot]", approving.replace(/ shop=[^ ]*/, " none"));
  const otherMerge = merge(started, 8, other, "feature-2");
  github().state.edit(late, "github-actions[bot]", approving);
  const refused = await push(shop, mergeCommit, otherMerge, required);
  expect(refused.exitCode).toBe(1);
  expect(refused.log).toContain("the comment on #8 contains no plan");
  expect(await version(namespace)).toBe("shop:2");
});

test("drift since the approval is corrected, with a notice", async () => {
  const started = await deployedShop();
  const head = await propose(started, 7, "2");
  await cluster.kubectl("delete", "configmap", "settings", "-n", started.namespace);
  const merged = await push(started.shop, started.main, merge(started, 7, head), required);
  expect(merged.exitCode, merged.log).toBeUndefined();
  expect(merged.log).toContain(
    "::notice title=QVS%3A shop::The plan corrects drift in addition to the plan approved in #7",
  );
  expect(merged.log).toContain(`create ConfigMap ${started.namespace}/settings`);
  expect(await version(started.namespace)).toBe("shop:2");
});

test("an additional change on main is rejected or reported, and its digest approves it", async () => {
  const started = await deployedShop();
  const { shop, namespace, main } = started;
  const head = await propose(started, 7, "2");
  shop.checkout("main");
  shop.commitFile("adapters/web/extra.cue", extraAdapter);
  const mergeCommit = merge(started, 7, head);
  const refused = await push(shop, main, mergeCommit, required);
  expect(refused.exitCode).toBe(1);
  expect(refused.log).toContain("differs from the plan approved in #7");
  expect(refused.log).toContain(`not approved: create ConfigMap ${namespace}/extra`);
  expect(await version(namespace)).toBe("shop:1");
  expect(github().state.comments[0]?.body).toContain("Nothing was changed");

  const [, digest = ""] = /plan: +([0-9a-f]{12})/.exec(refused.log) ?? [];
  const other = { ...required, "expect-digest": "0".repeat(12) };
  expect((await push(shop, main, mergeCommit, other)).exitCode).toBe(1);
  const warned = await push(shop, main, mergeCommit, { "expect-digest": digest, ...required });
  expect(warned.exitCode, warned.log).toBeUndefined();
  expect(await version(namespace)).toBe("shop:2");
});

test("with the policy warn, the same change is deployed with a warning", async () => {
  const started = await deployedShop();
  const { shop, namespace, main } = started;
  shop.checkout("main");
  const pushed = shop.commitParams({ version: "3", greeting: "hello" });
  const refused = await push(shop, main, pushed, required);
  expect(refused.exitCode).toBe(1);
  expect(refused.log).toContain("no pull request added this commit to the branch");
  expect(await version(namespace)).toBe("shop:1");
  const warned = await push(shop, main, pushed);
  expect(warned.exitCode, warned.log).toBeUndefined();
  expect(warned.log).toContain("::warning title=QVS%3A shop::No one approved this plan");
  expect(await version(namespace)).toBe("shop:3");
});

test("an edited comment approves nothing, even after qvs has overwritten it", async () => {
  const started = await deployedShop();
  const head = await propose(started, 7, "2");
  const [comment] = github().state.comments;
  if (comment === undefined) throw new Error("there is no comment");
  github().state.edit(comment, "mallory", comment.body);
  const mergeCommit = merge(started, 7, head);
  for (const _ of [1, 2]) {
    const refused = await push(started.shop, started.main, mergeCommit, required);
    expect(refused.exitCode).toBe(1);
    expect(refused.log).toContain("the comment on #7 was edited by mallory");
    expect(comment.editors.at(-1)).toBe("github-actions[bot]");
  }
  expect(await version(started.namespace)).toBe("shop:1");
});

test("a comment about an older commit approves nothing", async () => {
  const started = await deployedShop();
  await propose(started, 7, "2");
  started.shop.checkout("feature");
  const head = started.shop.commitParams({ version: "9", greeting: "hello" });
  const refused = await push(started.shop, started.main, merge(started, 7, head), required);
  expect(refused.exitCode).toBe(1);
  expect(refused.log).toContain("the comment on #7 shows the plan of");
  expect(await version(started.namespace)).toBe("shop:1");
});

test("a merge queue is compared with all of its pull requests, and unapproved operations are reported", async () => {
  const started = await deployedShop();
  const { shop, main } = started;
  const head = await propose(started, 7, "2");
  shop.checkout("main");
  shop.branch("settings");
  // `propose` commits this file together with the params.
  writeFileSync(join(shop.folder, "adapters/web/extra.cue"), extraAdapter);
  const other = await propose({ ...started }, 8, "1", "settings-2");
  shop.merge("feature");
  const group = shop.merge("settings-2");
  github().state.pulls.push(
    { number: 7, mergeCommit: "", head, merged: false },
    { number: 8, mergeCommit: "", head: other, merged: false },
  );
  github().state.queue.push(7, 8);
  const merge_group = {
    base_sha: main,
    head_sha: group,
    base_ref: "refs/heads/main",
    head_ref: `refs/heads/gh-readonly-queue/main/pr-8-${main}`,
  };
  const repository = { full_name: "acme/shop", default_branch: "main" };
  const event = { merge_group, repository };
  const inputs = { token: "token", ...required };
  const check = () =>
    action.act({ folder: shop.folder, name: "merge_group", event, commit: group, inputs });
  const before = github().state.comments.map(({ body }) => body);
  const green = await check();
  expect(green.exitCode, green.log).toBeUndefined();
  github().state.queue.splice(0, 1);
  const red = await check();
  expect(red.exitCode).toBe(1);
  expect(red.log).toContain("differs from the plan approved in #8");
  expect(red.log).toContain(`not approved: update Deployment ${started.namespace}/web`);
  expect(github().state.comments.map(({ body }) => body)).toEqual(before);
  expect(await version(started.namespace)).toBe("shop:1");
});

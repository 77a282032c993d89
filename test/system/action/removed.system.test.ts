import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { extraAdapter, useShopAction } from "../../support/shop/shop-action.ts";
import type { ShopRepository } from "../../support/shop/shop-repository.ts";

/**
 * Tests pull requests that remove deployments, from the comment to the remaining objects on a real
 * control plane.
 */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github, push, merge } = action;
const listFile = ".valuestream/deployments.yaml";

interface Entry {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** Creates a repository whose deployments each have a namespace, and deploys all of them. */
async function deployed(entries: readonly Entry[], files: Readonly<Record<string, string>> = {}) {
  const namespaces = new Map<string, string>();
  for (const { name } of entries) namespaces.set(name, await cluster.namespace(name));
  const shop = action.shopIn("unused");
  const listOf = (names: readonly string[], more: readonly Entry[] = []) =>
    JSON.stringify({
      "on-removed": "delete",
      deployments: [...entries.filter(({ name }) => names.includes(name)), ...more].map(
        (entry) => ({
          config: "qvs.yaml",
          params: ["../params.yaml"],
          namespace: namespaces.get(entry.name),
          ...entry,
        }),
      ),
    });
  const list = (names: readonly string[], more?: readonly Entry[]) =>
    shop.commitFile(listFile, listOf(names, more));
  shop.commitParams({ version: "1", greeting: "hello" });
  if (Object.keys(files).length > 0) shop.commitFiles(files);
  const main = list(entries.map(({ name }) => name));
  const first = await push(shop, "0".repeat(40), main, { "approved-plan": "off" });
  expect(first.exitCode, first.log).toBeUndefined();
  const namespaceOf = (name: string) => namespaces.get(name) ?? "";
  return { shop, main, list, namespaceOf };
}

async function preview(
  shop: ShopRepository,
  number: number,
  base: string,
  head: string,
  exitCode?: number,
) {
  const previewed = await action.preview(shop, number, base, head);
  expect(previewed.exitCode, previewed.log).toBe(exitCode);
  return commentOf(number);
}

function commentOf(number: number): string {
  return github().state.comments.find((each) => each.issue === number)?.body ?? "";
}

/**
 * Returns the names of the objects in a namespace, with one entry for its releases and its lock.
 */
async function remaining(namespace: string): Promise<string> {
  const kinds = "deployments,configmaps,secrets,leases";
  const names = await cluster.kubectl("get", kinds, "-n", namespace, "-o", "name");
  return names
    .split("\n")
    .filter((name) => name !== "" && !name.includes("kube-root-ca"))
    .map((name) => name.replace(/\.v\d+.*$/, ""))
    .join(" ");
}

const all = [
  { name: "database" },
  { name: "web", dependsOn: ["database"] },
  { name: "keeps", "on-removed": "keep" },
  { name: "stays" },
  { name: "grown" },
  { name: "needed" },
  { name: "user", dependsOn: ["needed"], "on-removed": "keep" },
];

test("the objects that a pull request removes are deleted after the merge as shown, and no others", async () => {
  const { shop, main, list, namespaceOf } = await deployed(all);
  const whole = await remaining(namespaceOf("stays"));
  const isWhole = async (name: string) =>
    expect(
      (await remaining(namespaceOf(name))).replaceAll(new RegExp(`(?<=qvs.)${name}`, "g"), "stays"),
    ).toBe(whole);
  shop.checkout("main");

  shop.branch("remove");
  const head = list(["stays", "grown", "needed", "user"]);
  const comment = await preview(shop, 7, main, head);
  expect(comment).toMatch(/^## .* is deleted\b/m);
  expect(comment).toContain(
    `deletes this deployment and its releases from namespace \`${namespaceOf("web")}\``,
  );
  expect(comment).toContain('Removed deployment "keeps" leaves its objects in namespace');
  await isWhole("web");
  const mergedAt = merge(shop, 7, head, "remove");
  // Follows deploy.yml: one job lists the deployments, and each removed one has its own job.
  const matrix = await push(shop, main, mergedAt, { mode: "list" });
  const jobs = /matrix<<(\S+)\n(.*?)\n\1/s.exec(matrix.outputs)?.[2] ?? "{}";
  const levels: { jobs: { deployments: string[] }[] }[] = JSON.parse(jobs).levels;
  expect(levels.map((level) => level.jobs.map(({ deployments }) => deployments))).toEqual([
    [["web"]],
    [["database"]],
  ]);
  // A newer commit lists both again, but its run hasn't started. Only the branch shows it.
  shop.branch("revert");
  const reverted = list(all.map(({ name }) => name));
  for (const name of ["web", "database"]) {
    const late = await push(shop, main, mergedAt, { deployment: `["${name}"]` }, reverted);
    expect(late.log).toContain(name === "web" ? "is listed again" : "web depends on it");
    await isWhole(name);
  }
  const early = await push(shop, main, mergedAt, { deployment: '["database"]' });
  expect(early.log).toContain("web depends on it and still exists");
  for (const name of ["web", "database"]) {
    const job = await push(shop, main, mergedAt, { deployment: `["${name}"]` });
    expect(job.exitCode, job.log).toBeUndefined();
    expect(job.summary).toContain(`✅ Deleted ${name}`);
  }
  expect(await remaining(namespaceOf("web"))).toBe("");
  expect(await remaining(namespaceOf("database"))).toBe("");
  await isWhole("stays");
  await isWhole("keeps");
  // The restarted first run of all finds no release that shows that it is late.
  const both = { deployment: '["web", "database"]', "approved-plan": "off" };
  const revived = await push(shop, "0".repeat(40), main, both, mergedAt);
  expect(revived.exitCode, revived.log).toBeUndefined();
  expect(revived.log).toContain("Skipped web: a newer commit no longer lists it");
  expect(await remaining(namespaceOf("web"))).toBe("");
  expect(await remaining(namespaceOf("database"))).toBe("");

  shop.checkout("main");
  // An object that was added to the deployment after the comment is in no approved plan, whatever
  // the policy is.
  shop.branch("remove-grown");
  const grownHead = list(["stays", "needed", "user"]);
  await preview(shop, 8, mergedAt, grownHead);
  shop.checkout("main");
  const extra = shop.commitFile("adapters/web/extra.cue", extraAdapter);
  await push(shop, mergedAt, extra, { "approved-plan": "off" });
  const grownAt = merge(shop, 8, grownHead, "remove-grown");
  const grown = await push(shop, extra, grownAt, { "approved-plan": "off" });
  expect(grown.exitCode, grown.log).toBeUndefined();
  expect(grown.log).toContain("::warning title=QVS%3A grown::");
  expect(grown.log).toContain(`not approved: delete ConfigMap ${namespaceOf("grown")}/extra`);
  expect(await remaining(namespaceOf("grown"))).toContain("configmap/extra");
  expect(commentOf(8)).toContain("⚠️ Didn't delete grown, which was removed from the list");
  expect(commentOf(8)).toMatch(/qvs delete -d grown -n \S+ --expect-digest /);
  // A user with write access restarts the preview and then the deployment. Neither changes the
  // approval, because the pull request was merged without this preview.
  const shownBefore = commentOf(8);
  await preview(shop, 8, mergedAt, grownHead);
  expect(commentOf(8)).toBe(shownBefore);
  github().failNext(404, 1, { part: "/pulls/8" });
  await preview(shop, 8, mergedAt, grownHead);
  expect(commentOf(8)).not.toBe(shownBefore);
  const repeated = await push(shop, extra, grownAt, { "approved-plan": "off" });
  expect(repeated.log).toContain(`not approved: delete ConfigMap ${namespaceOf("grown")}/extra`);
  expect(await remaining(namespaceOf("grown"))).toContain("configmap/extra");

  // No comment has shown this deletion, and a deployment with dependents is kept.
  shop.checkout("main");
  const unseen = list(["stays"]);
  const pushed = await push(shop, grownAt, unseen);
  expect(pushed.exitCode, pushed.log).toBeUndefined();
  expect(pushed.log).toContain("user depends on it and still exists");
  expect(await remaining(namespaceOf("needed"))).toContain("deployment.apps/web");
  shop.checkout("main");
  const alone = list([]);
  const unapproved = await push(shop, unseen, alone);
  expect(unapproved.exitCode, unapproved.log).toBeUndefined();
  expect(unapproved.log).toContain("no merged pull request showed its deletion");
  expect(await remaining(namespaceOf("stays"))).toContain("deployment.apps/web");

  // The run of the first merge is restarted after a newer commit has listed the deleted deployments
  // again.
  shop.checkout("main");
  const again = list(["web", "database"]);
  const back = await push(shop, alone, again, { "approved-plan": "off" });
  expect(back.exitCode, back.log).toBeUndefined();
  const late = await push(shop, main, mergedAt, {}, again);
  expect(late.log).toContain("is listed again");
  expect(late.log).toContain("is older than release");
  // One failure for the deployed commit, and one for the removed deployments.
  github().failNext(403, 2, { part: "/git/ref/", message: "Resource not accessible" });
  const uncertain = await push(shop, main, mergedAt);
  expect(uncertain.log).toContain("might be listed again on the branch");
  expect(await remaining(namespaceOf("web"))).toContain("deployment.apps/web");
  expect(await remaining(namespaceOf("database"))).toContain("deployment.apps/web");

  // A rename is blocked while the objects belong to the old name, so nothing is deleted.
  shop.checkout("main");
  shop.branch("rename");
  const renamedHead = list([], [{ name: "shop", namespace: namespaceOf("web") }]);
  const shown = await preview(shop, 9, again, renamedHead, 1);
  expect(shown).toContain("belongs to the deployment web");
  const renamedAt = merge(shop, 9, renamedHead, "rename");
  const refused = await push(shop, again, renamedAt);
  expect(refused.exitCode).toBe(1);
  expect(refused.log).toContain("shop wasn't deployed: run this again after it is deployed");
  expect(await remaining(namespaceOf("database"))).toContain("deployment.apps/web");
  // When qvs can adopt them, it deletes only the releases and the lock of the old name.
  const objects = "deployment/web,configmap/settings,configmap/extra".split(",");
  const unlabel = ["vs.axis-dev.io/deployment-", "-n", namespaceOf("web")];
  await cluster.kubectl("label", ...objects, ...unlabel);
  const taken = await push(shop, again, renamedAt);
  expect(taken.exitCode, taken.log).toBeUndefined();
  expect(commentOf(9)).toMatch(/✅ Deleted web.*✅ Deleted database/s);
  expect(await remaining(namespaceOf("database"))).toBe("");
  expect(await remaining(namespaceOf("web"))).toBe(
    "deployment.apps/web configmap/extra configmap/settings secret/qvs.shop lease.coordination.k8s.io/qvs-shop",
  );
});

const chart = {
  ".valuestream/chart.yaml":
    "designPatterns: [{helm: {chart: ../charts/backed-up, release: backed-up}}]",
  "charts/backed-up/Chart.yaml": "{apiVersion: v2, name: backed-up, version: 1.0.0}",
  "charts/backed-up/templates/settings.yaml":
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}",
  "charts/backed-up/templates/hooks.yaml": `
apiVersion: batch/v1
kind: Job
metadata: {name: back-up, annotations: {helm.sh/hook: pre-delete}}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}
`,
};

test("the hooks in the comment on a removed deployment run before its deletion after the merge", async () => {
  const entries = [
    { name: "backed-up", config: "chart.yaml", params: [] },
    { name: "stays" },
  ] as const;
  const { shop, main, list, namespaceOf } = await deployed(entries, chart);
  shop.checkout("main");
  shop.branch("remove-chart");
  const head = list(["stays"]);
  const comment = await preview(shop, 17, main, head);
  expect(comment).toContain("hook: runs before the deletions, then is deleted");
  const mergedAt = merge(shop, 17, head, "remove-chart");
  const job = await push(shop, main, mergedAt, { deployment: '["backed-up"]' });
  expect(job.exitCode, job.log).toBeUndefined();
  expect(job.summary).toContain("✅ Deleted backed-up");
  expect(await remaining(namespaceOf("backed-up"))).toBe("");
  expect(await cluster.kubectl("get", "jobs", "-n", namespaceOf("backed-up"), "-o", "name")).toBe(
    "",
  );
});

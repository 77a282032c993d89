import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { severalDeployments } from "../../support/shop/several-deployments.ts";

/** Runs of several deployments on a real control plane. */
const cluster = useCluster();

const shop = {
  database: [],
  "shop-web": ["database"],
  "shop-jobs": ["database"],
  docs: [],
} as const;

/** Returns the summary without the times, which differ from run to run. */
function summary(stdout: string): readonly string[] {
  const lines = stdout.slice(stdout.indexOf("DEPLOYMENT ")).trimEnd().split("\n");
  return lines.map((line) => line.replace(/ +(TIME|\d+s)$/, "").replaceAll(/ {2,}/g, " | "));
}

function jsonLines(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("deploys all, dependencies first, and continues after a failure without its dependents", async () => {
  const demo = await severalDeployments(cluster, shop);
  const first = await demo.qvs("deploy", "--all");
  expect(first.code, first.stderr).toBe(0);
  expect(summary(first.stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | release 1 succeeded | 2 created",
    "docs | release 1 succeeded | 2 created",
    "shop-jobs | release 1 succeeded | 2 created",
    "shop-web | release 1 succeeded | 2 created",
    "4 deployments: 4 deployed",
  ]);
  const order = ["database", "shop-web"].map((name) => first.stderr.indexOf(`${name}: Plan`));
  expect(order).toEqual(order.toSorted((a, b) => a - b));

  demo.set("database", { value: "two", behaviour: "never-ready" });
  for (const name of ["shop-web", "shop-jobs", "docs"]) demo.set(name, { value: "two" });
  const failing = await demo.qvs("deploy", "-d", "shop-*", "-d", "d*", "--timeout", "5s");
  expect(failing.code, failing.stderr).toBe(1);
  expect(summary(failing.stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | release 2 failed | 1 failed, 1 updated",
    "docs | release 2 succeeded | 1 updated, 1 unchanged",
    'shop-jobs | skipped: it depends on "database", which failed',
    'shop-web | skipped: it depends on "database", which failed',
    "4 deployments: 1 failed, 1 deployed, 2 skipped",
  ]);

  const status = await demo.qvs("status", "--all");
  expect(status.code).toBe(1);
  expect(summary(status.stdout).at(-1)).toBe("4 deployments: 1 not healthy, 3 healthy");
});

test("each line of JSON is that of a single run, with the deployment's name", async () => {
  const demo = await severalDeployments(cluster, shop);
  expect((await demo.qvs("deploy", "-d", "d*")).code).toBe(0);
  demo.set("docs", { value: "two" });
  const several = await demo.qvs("diff", "-d", "d*", "--format", "json", "--exit-code");
  const [database, docs, ...others] = jsonLines(several.stdout);
  expect([several.code, others]).toEqual([2, []]);
  const alone = await demo.qvs("diff", "-d", "docs", "--format", "json");
  expect(docs).toEqual(JSON.parse(alone.stdout));
  expect(database).toMatchObject({ deployment: "database" });
  expect(summary(several.stderr)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | no changes",
    "docs | changes | 1 to update",
    "2 deployments: 1 without changes, 1 with changes",
  ]);

  for (const command of ["status", "drift"] as const) {
    const lines = jsonLines((await demo.qvs(command, "-d", "d*", "--format", "json")).stdout);
    const single = await demo.qvs(command, "-d", "docs", "--format", "json");
    const expected = { ...JSON.parse(single.stdout), deployment: "docs" };
    const withoutTimes = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(/"comparedAt":"[^"]*"/g, '"comparedAt":""'));
    expect(withoutTimes(lines[1])).toEqual(withoutTimes(expected));
  }

  const missing = await demo.qvs("status", "--all", "--format", "json");
  expect(missing.code).toBe(1);
  expect(jsonLines(missing.stdout)).toContainEqual({
    deployment: "shop-web",
    problems: [expect.objectContaining({ code: "unknown-deployment" })],
  });
});

test("previews each deployment after its dependencies, and deploys only the changed ones", async () => {
  const demo = await severalDeployments(cluster, { database: [], "shop-web": ["database"] });
  demo.commit();
  expect((await demo.qvs("deploy", "--all")).code).toBe(0);
  const nothing = await demo.qvs("deploy", "--changed", "HEAD");
  expect(nothing).toMatchObject({
    code: 0,
    stdout: "No deployment has changed since HEAD.\n",
  });
  demo.set("shop-web", { value: "two" });
  const preview = await demo.qvs("diff", "--changed", "HEAD");
  expect(summary(preview.stdout).at(-1)).toBe("1 deployment: 1 with changes");
  demo.commit();
  const changed = await demo.qvs("deploy", "--changed", "HEAD~1");
  expect(changed.code, changed.stderr).toBe(0);
  expect(summary(changed.stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "shop-web | release 2 succeeded | 1 updated, 1 unchanged",
    "1 deployment: 1 deployed",
  ]);
});

test("rolls back several to their previous releases, and leaves others as they are", async () => {
  const demo = await severalDeployments(cluster, shop);
  expect((await demo.qvs("deploy", "--all")).code).toBe(0);
  for (const name of ["database", "shop-web"]) demo.set(name, { value: "two" });
  expect((await demo.qvs("deploy", "-d", "database", "-d", "shop-web")).code).toBe(0);
  const back = await demo.qvs("rollback", "--all", "--to", "previous");
  expect(back.code, back.stderr).toBe(0);
  expect(summary(back.stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | release 3 succeeded (rollback to release 1) | 1 updated, 1 unchanged",
    "docs | no previous release",
    "shop-jobs | no previous release",
    "shop-web | release 3 succeeded (rollback to release 1) | 1 updated, 1 unchanged",
    "4 deployments: 2 rolled back, 2 without previous release",
  ]);
  const values = ["get", "configmap", "shop-web-settings", "-n", demo.namespace];
  expect(await cluster.kubectl(...values, "-o", "jsonpath={.data.value}")).toBe("one");

  const number = await demo.qvs("rollback", "-d", "d*", "--to", "1");
  expect(number.code).toBe(1);
  expect(number.stderr).toContain("Release 1 is the number of a release of one deployment");
});

test("corrects the drift of several, and names them", async () => {
  const demo = await severalDeployments(cluster, shop);
  expect((await demo.qvs("deploy", "--all")).code).toBe(0);
  await cluster.kubectl("delete", "configmap", "docs-settings", "-n", demo.namespace);
  const drift = await demo.qvs("drift", "--all");
  expect([drift.code, summary(drift.stdout).at(-1)]).toEqual([
    2,
    "4 deployments: 3 clean, 1 drifted",
  ]);
  const corrected = await demo.qvs("reconcile", "-d", "d*");
  expect(corrected.code, corrected.stderr).toBe(0);
  expect(summary(corrected.stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | clean",
    "docs | corrected | 1 created, 1 unchanged",
    "2 deployments: 1 clean, 1 corrected",
  ]);
});

test("after Ctrl-C each run records its end, and the summary names the unfinished ones", async () => {
  const demo = await severalDeployments(cluster, shop);
  demo.set("database", { behaviour: "never-ready" });
  const running = demo.start("deploy", "--all", "--parallel", "2");
  await running.says(`database: Deployment ${demo.namespace}/database: waiting`);
  await running.says("docs: Succeeded");
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.result;
  expect(code, stderr).toBe(130);
  expect(summary(stdout)).toEqual([
    "DEPLOYMENT | OUTCOME | CHANGES",
    "database | release 1 canceled | 2 created",
    "docs | release 1 succeeded | 2 created",
    "shop-jobs | not done, nothing was changed",
    "shop-web | not done, nothing was changed",
    "4 deployments: 1 canceled, 1 deployed, 2 not done",
  ]);
  expect((await demo.qvs("releases", "-d", "database")).stdout).toMatch(/^… 1 {2}canceled /m);
  const holder = ["get", "lease", "qvs-database", "-n", demo.namespace];
  expect(await cluster.kubectl(...holder, "-o", "jsonpath={.spec.holderIdentity}")).toBe("");
});

test("a pattern without a match suggests one, and changes nothing", async () => {
  const demo = await severalDeployments(cluster, shop);
  const { code, stdout, stderr } = await demo.qvs("deploy", "-d", "shp-*", "-d", "docs");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `error[unknown-deployment]: Pattern "shp-*" matches no deployment
  help: Did you mean "shop-*"?
  help: or choose from these: database, docs, shop-jobs, shop-web

Nothing was changed.
`,
  });
});

test("an object that moves to another deployment isn't deleted", async () => {
  const demo = await severalDeployments(cluster, { first: [], second: [] });
  const declare = (file: string, ...names: readonly string[]) =>
    demo.write(
      `${file}.yaml`,
      names
        .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n---\n`)
        .join(""),
    );
  const entries = ["first", "second"].map((name) => {
    demo.write(`.valuestream/${name}.yaml`, `designPatterns: [{manifests: ../${name}.yaml}]`);
    return `{name: ${name}, config: ${name}.yaml}`;
  });
  demo.write(".valuestream/deployments.yaml", `deployments: [${entries.join(", ")}]`);
  declare("first", "stays", "moves");
  declare("second", "other");
  expect((await demo.qvs("deploy", "--all")).code).toBe(0);

  declare("first", "stays");
  declare("second", "other", "moves");
  const preview = await demo.qvs("diff", "--all", "--summary");
  expect(preview.stdout).toContain(
    `keep    ConfigMap ${demo.namespace}/moves (the deployment second declares it)`,
  );
  const blocked = await demo.qvs("deploy", "--all");
  expect(summary(blocked.stdout).slice(1)).toEqual([
    "first | release 2 succeeded | 1 kept, 1 unchanged",
    "second | failed: foreign-object",
    "2 deployments: 1 deployed, 1 failed",
  ]);
  const handOver = `label configmap moves -n ${demo.namespace} vs.axis-dev.io/deployment-`;
  expect(blocked.stderr).toContain(`kubectl ${handOver}`);
  await cluster.kubectl(...handOver.split(" "));
  expect(summary((await demo.qvs("deploy", "--all")).stdout).at(-1)).toBe(
    "2 deployments: 1 unchanged, 1 deployed",
  );
});

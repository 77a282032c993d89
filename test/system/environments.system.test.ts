import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  type Sweep,
  sweepEnvironments,
} from "../../src/commands/environments/sweep-environments.ts";
import { defaultLimits } from "../../src/model/deployments/deploy-request.ts";
import type { OpenWorld } from "../../src/ports/world.ts";
import { listDeployments } from "../../src/sources/list-deployments.ts";
import { openWorld } from "../../src/world/open-world.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import {
  type EnvironmentShop,
  environmentShop,
  environmentShopFiles,
  numberPlaceholder,
} from "../support/environments/environment-shop.ts";
import { environment } from "../support/git/git-fixture.ts";

/** Tests preview environments: docs/deploy/environments.md */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

async function createdShop(number = 3): Promise<EnvironmentShop> {
  const shop = await environmentShop(cluster);
  const created = await shop.environments("create", "--number", String(number));
  expect(created.code, created.stderr).toBe(0);
  return shop;
}

/** Sweeps with this clock and these states of pull requests. Marks the expired environments. */
async function sweepAt(
  shop: EnvironmentShop,
  stateOf: Sweep["stateOf"],
  now: (() => Date) | Date = new Date(),
): Promise<readonly string[]> {
  const world: OpenWorld = await openWorld({
    ...{ directory: shop.directory, read: "work tree", streams: process, compiler, quiet: true },
    env: environment,
    kubeconfig: { path: cluster.kubeconfigFor("admin") },
    signal: new AbortController().signal,
    repositoryName: "shop",
    origin: { commit: undefined, actor: undefined, run: undefined },
  });
  try {
    const listed = await listDeployments(world.source.tree, "shop");
    if (!listed.ok) throw new Error("the list is invalid");
    const { outcomes, notices } = await sweepEnvironments(
      { ...world, clock: { ...world.clock, now: now instanceof Date ? () => now : now } },
      {
        owner: { repository: { path: "acme/shop" }, list: ".valuestream/deployments.yaml" },
        entries: listed.value,
        request: { limits: defaultLimits, waitForLock: true, overrideFreeze: undefined },
        stateOf,
      },
    );
    return [
      ...notices.map(({ code, what }) => `${code}: ${what}`),
      ...outcomes.map(
        (each) =>
          `${each.deployment.name} ${each.type === "done" ? each.outcome.type : each.type}${each.isExpired ? " (expired)" : ""}`,
      ),
    ];
  } finally {
    world.close();
  }
}

const listFile = ".valuestream/deployments.yaml";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "acme/web:1"}]
`;

test("an environment has its own namespace, a new commit updates it, and its deletion leaves nothing", async () => {
  const shop = await environmentShop(cluster, {
    preview: {
      params: { greeting: `hello ${numberPlaceholder}` },
      labels: { "pod-security.kubernetes.io/enforce": "baseline" },
      url: `https://${numberPlaceholder}.shop.example`,
    },
  });
  const place = shop.environment(3);
  shop.declare(web);

  const created = await shop.environments("create", "--number", "3");
  expect(created, created.stderr).toMatchObject({ code: 0 });
  expect(created.stdout).toBe("shop-pr-3 release 1 succeeded\nhttps://3.shop.example\n");
  expect(await shop.objects(place)).toEqual(["configmap/greeting", "deployment/web"]);
  const greeting = "jsonpath={.data.text}";
  const text = ["get", "configmap", "greeting", "-n", place, "-o", greeting];
  expect(await cluster.kubectl(...text)).toBe("hello 3");
  const label = "jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}";
  expect(await cluster.kubectl("get", "ns", place, "-o", label)).toBe("baseline");
  expect(await shop.objects(shop.namespace)).toContain("secret/qvs.shop-pr-3.v1");

  shop.declare("");
  const updated = await shop.environments("create", "--number", "3");
  expect(updated, updated.stderr).toMatchObject({ code: 0 });
  expect(await shop.objects(place)).toEqual(["configmap/greeting"]);

  const list = await shop.environments("list", "--format", "json");
  expect(JSON.parse(list.stdout)).toMatchObject({
    environments: [{ number: 3, deployment: "shop-pr-3", namespace: place, status: "succeeded" }],
  });

  const deleted = await shop.environments("delete", "--number", "3");
  expect(deleted, deleted.stderr).toMatchObject({ code: 0, stdout: "shop-pr-3 deleted\n" });
  expect(await shop.exists(place)).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("JSON has the outcome of each environment, and stderr the text", async () => {
  const url = `https://${numberPlaceholder}.shop.example`;
  const shop = await environmentShop(cluster, { preview: { url } });
  const place = shop.environment(3);
  const json = ["--format", "json"];
  const read = (stdout: string) => JSON.parse(stdout).environments;
  const about = { number: 3, deployment: "shop-pr-3", namespace: place, entry: "shop" };

  const created = await shop.environments("create", "--number", "3", ...json);
  expect(created.code, created.stderr).toBe(0);
  expect(read(created.stdout)).toEqual([
    {
      ...{ ...about, releases: shop.namespace, outcome: "deployed", release: 1 },
      ...{ url: "https://3.shop.example", problems: [], notices: [] },
    },
  ]);
  expect(created.stderr).toContain("shop-pr-3 release 1 succeeded");
  const again = await shop.environments("create", "--number", "3", ...json);
  expect(read(again.stdout)).toMatchObject([{ outcome: "unchanged", release: 1 }]);

  shop.declare(web.replace("image:", "resources: {requests: {cpu: 1000}}, image:"));
  const blocked = await shop.environments("create", "--number", "3", ...json);
  expect(blocked.code).toBe(1);
  expect(read(blocked.stdout)).toMatchObject([
    {
      ...{ ...about, outcome: "blocked", release: null, url: null },
      problems: [{ code: "environment-does-not-fit" }],
    },
  ]);
  expect(blocked.stderr).toContain("error[environment-does-not-fit]");

  await cluster.kubectl("create", "configmap", "theirs", "-n", place);
  const kept = await shop.environments("delete", "--number", "3", ...json);
  expect(kept.code, kept.stderr).toBe(0);
  expect(read(kept.stdout)).toMatchObject([
    { ...about, outcome: "kept", notices: [{ code: "kept-object" }] },
  ]);
  await cluster.kubectl("delete", "configmap", "theirs", "-n", place);
  const swept = await shop.environments("sweep", "--open", "none", ...json);
  expect(swept.code, swept.stderr).toBe(0);
  expect(read(swept.stdout)).toMatchObject([{ ...about, outcome: "deleted", release: null }]);
  const missing = await shop.environments("delete", "--number", "4");
  expect(missing.stdout).toBe(`shop-pr-4: nothing is recorded in namespace ${shop.namespace}\n`);
  const absent = await shop.environments("delete", "--number", "3", "--format", "yaml");
  expect(absent.code, absent.stderr).toBe(0);
  expect(absent.stdout).toContain("outcome: absent");
  expect(JSON.parse((await shop.environments("sweep", "--open", "1", ...json)).stdout)).toEqual({
    environments: [],
    notices: [],
  });
});

test("an environment that doesn't fit is refused before anything is written", async () => {
  const shop = await environmentShop(cluster);
  shop.declare(web.replace("image:", "resources: {requests: {cpu: 1000}}, image:"));
  const refused = await shop.environments("create", "--number", "3");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error[environment-does-not-fit]");
  expect(refused.stderr).toContain("Nothing was changed.");
  expect(await shop.exists(shop.environment(3))).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("a namespace with objects of others stays, and a later sweep deletes it", async () => {
  const shop = await createdShop();
  const place = shop.environment(3);
  await cluster.kubectl("create", "configmap", "theirs", "-n", place);
  const kept = await shop.environments("delete", "--number", "3");
  expect(kept.stderr).toContain(`ConfigMap ${place}/theirs`);
  expect(kept.stderr).toContain("qvs environments delete -d shop --number 3");
  expect(kept.stderr).not.toContain("--delete-kept");
  expect(await shop.objects(place)).toEqual(["configmap/theirs"]);

  await cluster.kubectl("delete", "configmap", "theirs", "-n", place);
  const swept = await shop.environments("sweep", "--open", "none");
  expect(swept, swept.stderr).toMatchObject({ code: 0, stdout: "shop-pr-3 deleted\n" });
  expect(await shop.exists(place)).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("a changed namespace in preview names the command that deletes the old environment", async () => {
  const shop = await createdShop();
  const place = shop.environment(3);
  const list = environmentShopFiles(shop.namespace, { namespace: `x${place}${numberPlaceholder}` });
  shop.write(listFile, list[listFile] ?? "");
  const refused = await shop.environments("create", "--number", "3");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error[environment-not-own]");
  expect(refused.stderr).toContain(`The namespace in preview changed to x${place}3`);
  expect(refused.stderr).toContain("qvs environments delete -d shop --number 3");
  const deleted = await shop.environments("delete", "-d", "shop", "--number", "3");
  expect(deleted, deleted.stderr).toMatchObject({ code: 0, stdout: "shop-pr-3 deleted\n" });
  expect(await shop.exists(place)).toBe(false);
  const created = await shop.environments("create", "--number", "3");
  expect(created.code, created.stderr).toBe(0);
});

test("the volumes of a StatefulSet are deleted with the environment", async () => {
  const shop = await environmentShop(cluster);
  const place = shop.environment(3);
  shop.declare(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: db, image: "acme/db:1", volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`);
  const created = await shop.environments("create", "--number", "3");
  expect(created.code, created.stderr).toBe(0);
  shop.declare("");
  const updated = await shop.environments("create", "--number", "3");
  expect(updated.code, updated.stderr).toBe(0);
  expect(await shop.objects(place)).toContain("persistentvolumeclaim/data-db-0");
  const deleted = await shop.environments("delete", "--number", "3");
  expect(deleted, deleted.stderr).toMatchObject({ code: 0, stdout: "shop-pr-3 deleted\n" });
  expect(await shop.exists(place)).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test.each([
  [
    "a cluster-scoped object",
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: mine}, value: 9}",
  ],
  ["another namespace", "{apiVersion: v1, kind: Namespace, metadata: {name: mine}}"],
  [
    "an object in another namespace",
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: default}}",
  ],
])("an environment can't contain %s", async (_, manifest) => {
  const shop = await environmentShop(cluster);
  shop.declare(manifest);
  const refused = await shop.environments("create", "--number", "3");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error[environment-outside-namespace]");
  expect(await shop.exists(shop.environment(3))).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("the config can't change the labels of the environment's namespace", async () => {
  const shop = await environmentShop(cluster);
  const name = shop.environment(3);
  shop.declare(
    `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {pod-security.kubernetes.io/enforce: privileged}}}`,
  );
  const refused = await shop.environments("create", "--number", "3");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `error[environment-outside-namespace]: The config declares Namespace ${name}`,
  );
  expect(refused.stderr).toContain("Leave it out with a parameter that preview.params sets");
  expect(await shop.exists(name)).toBe(false);
});

test("qvs doesn't adopt an existing namespace", async () => {
  const shop = await environmentShop(cluster);
  const name = shop.environment(3);
  await cluster.kubectl("create", "namespace", name);
  const refused = await shop.environments("create", "--number", "3");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error[environment-not-own]");
  expect(await shop.objects(name)).toEqual([]);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("another repository or list neither updates nor deletes an environment", async () => {
  const shop = await createdShop();
  const place = shop.environment(3);
  for (const command of ["create", "delete"]) {
    const other = ["--number", "3", "--repository", "acme/other"];
    const refused = await shop.environments(command, ...other);
    expect(refused.code, command).toBe(1);
    expect(refused.stderr).toContain("error[environment-not-own]");
  }
  const swept = await shop.environments("sweep", "--open", "none", "--repository", "acme/other");
  expect(swept).toMatchObject({ code: 0, stdout: "0 environments to delete\n" });
  expect(await shop.objects(place)).toEqual(["configmap/greeting"]);
});

test("a clone without the remote origin needs --repository", async () => {
  const shop = await environmentShop(cluster);
  const args = ["--number", "3"];
  const { runQvs } = await import("../support/qvs/run-qvs.ts");
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const refused = await runQvs(shop.directory, ["environments", "create", ...args], env);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error[repository-unknown]");
});

test("a sweep deletes environments of closed pull requests and expired ones", async () => {
  const shop = await createdShop(1);
  expect((await shop.environments("create", "--number", "2")).code).toBe(0);
  const swept = await shop.environments("sweep", "--open", "1");
  expect(swept, swept.stderr).toMatchObject({ code: 0, stdout: "shop-pr-2 deleted\n" });
  expect(await shop.exists(shop.environment(1))).toBe(true);

  const open = async () => "open" as const;
  expect(await sweepAt(shop, open, inHours(71))).toEqual([]);
  expect(await sweepAt(shop, open, inHours(73))).toEqual(["shop-pr-1 deployed (expired)"]);
  expect(await shop.exists(shop.environment(1))).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("a lifetime that ends during the deletion isn't the reason for it", async () => {
  const shop = await createdShop();
  const list = JSON.parse((await shop.environments("list", "--format", "json")).stdout);
  const end = Date.parse(list.environments[0].expiresAt);
  let asked = 0;
  const closed = async () => {
    asked += 1;
    return "closed" as const;
  };
  // qvs asks a second time under the lock, just before the deletion.
  const endsNow = () => new Date(asked < 2 ? end - 1000 : end + 1000);
  expect(await sweepAt(shop, closed, endsNow)).toEqual(["shop-pr-3 deployed"]);
  expect(asked).toBe(2);
  expect(await shop.exists(shop.environment(3))).toBe(false);
});

test("a sweep asks again under the lock, so it keeps an environment that was reopened", async () => {
  const shop = await createdShop();
  const states = ["closed", "open"] as const;
  let asked = 0;
  const reopened = async () => states[Math.min(asked++, 1)] ?? "open";
  expect(await sweepAt(shop, reopened)).toEqual(["shop-pr-3 superseded"]);
  expect(await shop.objects(shop.environment(3))).toEqual(["configmap/greeting"]);

  const silent = async () => ({ unknown: { why: "GitHub didn't answer", fix: "Wait" } });
  expect(await sweepAt(shop, silent)).toEqual(['environment-state-unknown: qvs keeps "shop-pr-3"']);
  expect(await shop.exists(shop.environment(3))).toBe(true);
});

test("the printed roles are enough to create, update and delete an environment", async () => {
  const shop = await environmentShop(cluster);
  const { runQvs } = await import("../support/qvs/run-qvs.ts");
  const roles = await runQvs(shop.directory, [
    "rbac",
    "environments",
    "--subject",
    "user:environments",
  ]);
  expect(roles.code, roles.stderr).toBe(0);
  await cluster.apply(shop.namespace, roles.stdout);
  const env = { KUBECONFIG: cluster.kubeconfigFor("environments") };
  const run = (command: string) =>
    runQvs(
      shop.directory,
      ["environments", command, "--number", "3", "--repository", "acme/shop"],
      env,
    );
  expect(await run("create")).toMatchObject({ code: 0 });
  shop.write("params.json", JSON.stringify({ app: {}, greeting: "bye" }));
  expect(await run("create")).toMatchObject({ code: 0 });
  expect(await run("delete")).toMatchObject({ code: 0, stdout: "shop-pr-3 deleted\n" });
  expect(await shop.exists(shop.environment(3))).toBe(false);
  expect(await shop.objects(shop.namespace)).toEqual([]);
});

test("a forged inventory deletes nothing outside the namespace of the environment", async () => {
  const shop = await createdShop();
  const place = shop.namespace;
  await cluster.kubectlOutput(
    ["apply", "--server-side", "--field-manager=qvs-shop-pr-3-app", "-n", place, "-f", "-"],
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: victim, labels: {app.kubernetes.io/managed-by: qvs, vs.axis-dev.io/deployment: shop-pr-3, vs.axis-dev.io/release-namespace: ${place}}}}`,
  );
  const secret = JSON.parse(
    await cluster.kubectl("get", "secret", "qvs.shop-pr-3.v1", "-n", place, "-o", "json"),
  );
  const state = JSON.parse(gunzipSync(Buffer.from(secret.data.state, "base64")).toString());
  const id = { group: "", kind: "ConfigMap", namespace: place, name: "victim" };
  state.inventory.push({ id, apiVersion: "v1", stage: "app", after: [], origin: "created" });
  secret.data.state = gzipSync(JSON.stringify(state)).toString("base64");
  await cluster.apply(place, JSON.stringify(secret));

  const deleted = await shop.environments("delete", "--number", "3");
  expect(deleted.code, deleted.stderr).toBe(0);
  expect(await shop.exists(shop.environment(3))).toBe(false);
  expect(await shop.objects(place)).toEqual(["configmap/victim"]);
});

test("an entry in an unreachable cluster doesn't stop the deletion of environments", async () => {
  const shop = await createdShop();
  shop.writeEntries({ name: "billing", config: "qvs.yaml", context: "production" });
  const listed = await shop.environments("list", "--format", "json");
  expect(JSON.parse(listed.stdout).environments).toHaveLength(1);
  expect(await sweepAt(shop, async () => "closed")).toEqual(["shop-pr-3 deployed"]);
  expect(await shop.exists(shop.environment(3))).toBe(false);
});

test("an environment of an entry without preview is found and deleted", async () => {
  const shop = await createdShop();
  shop.writeEntries({ name: "shop", config: "qvs.yaml", namespace: shop.namespace });
  expect(await sweepAt(shop, async () => "open", inHours(100))).toEqual([
    "shop-pr-3 deployed (expired)",
  ]);
});

test("an environment has no drift, and a changed object is drift", async () => {
  const shop = await createdShop();
  const drift = () => shop.qvs("drift", "-d", "shop-pr-3", "-n", shop.namespace);
  const clean = await drift();
  expect(clean.code, clean.stdout + clean.stderr).toBe(0);
  const change = ["patch", "configmap", "greeting", "--type=merge", "-p", '{"data":{"text":"x"}}'];
  await cluster.kubectl(...change, "-n", shop.environment(3));
  expect((await drift()).stdout).toContain("greeting");
});

test("a Pod of an environment can't get permissions for its namespace", async () => {
  const shop = await environmentShop(cluster);
  shop.declare(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: relabels}
rules: [{apiGroups: [""], resources: [namespaces], verbs: [patch]}]
`);
  const created = await shop.environments("create", "--number", "3");
  expect(created).toMatchObject({ code: 1 });
  expect(created.stderr).toContain("error[environment-excessive-role]");
  expect(await shop.exists(shop.environment(3))).toBe(false);
});

test("the printed roles name the role of a binding", async () => {
  const shop = await environmentShop(cluster);
  shop.declare(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reads}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: default}]
`);
  const roles = await shop.qvs("rbac", "environments", "--subject", "user:deployer");
  expect(roles.code, roles.stderr).toBe(0);
  const rules = parseAllDocuments(roles.stdout).flatMap((each) => each.toJS()?.rules ?? []);
  const binds = rules.filter(({ verbs }: { verbs: readonly string[] }) => verbs.includes("bind"));
  expect(binds).toEqual([expect.objectContaining({ resourceNames: ["view"] })]);
});

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findDeniedPermissions } from "../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../src/planning/permissions/permission.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { accountOf, accountsNamespace, newAccount } from "../../support/cluster/service-account.ts";
import { runQvs, startQvs } from "../../support/qvs/run-qvs.ts";
import { everything, last, theirs, unusedByCorrection, userOfLast } from "./everything.ts";
import {
  clusterOf,
  expectUsed,
  hold,
  type Rule,
  right,
  rulesOf,
  textOf,
  useRoles,
} from "./roles.ts";

/**
 * Tests that the roles from `qvs reconcile --print-install` are sufficient and contain only used
 * permissions.
 */
const roles = useRoles();
const { cluster } = roles;

interface Installed {
  readonly yaml: string;
  readonly rules: readonly Rule[];
}

/** Returns the printed permissions and their subjects. */
async function printed(demo: Manifests, flags: readonly string[]): Promise<Installed> {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const told = await runQvs(demo.directory, ["reconcile", "--print-install", ...flags], env);
  expect(told).toMatchObject({ code: 0, stderr: "" });
  const documents = parseAllDocuments(told.stdout).map((document) => document.toJS());
  const granted = documents.filter(({ kind }) => /Role|ServiceAccount/.test(kind));
  const rules = granted.flatMap(({ metadata, rules: all = [] }) =>
    all.flatMap((rule: Parameters<typeof rulesOf>[0]["rule"]) =>
      rulesOf({
        role: metadata,
        rule,
        why: "",
        ...(metadata.name.endsWith("-optional") ? { without: "" } : {}),
      }),
    ),
  );
  return { yaml: granted.map((one) => JSON.stringify(one)).join("\n---\n"), rules };
}

/** Starts a replica. */
async function start(demo: Manifests, kubeconfig: string, flags: readonly string[]) {
  const args = ["reconcile", "--watch", ...flags, "--lease-duration", "3s"];
  const running = startQvs(demo.directory, [...args, "--listen", "127.0.0.1:0"], {
    KUBECONFIG: kubeconfig,
    POD_NAME: "one",
  });
  let log = "";
  running.child.stderr?.on("data", (chunk) => (log += chunk));
  onTestFinished(() => void running.child.kill("SIGKILL"));
  await running.says('"listening"');
  return {
    async end(signal: NodeJS.Signals) {
      running.child.kill(signal);
      await running.result;
      return log;
    },
  };
}

test("the printed roles of a controller allow it to correct everything, and each permission is used", async () => {
  await newAccount(cluster);
  const demo = await manifestsIn(cluster);
  const { namespace: place, kubectl } = demo;
  const { outside, hold: holdTheirs, free, through } = await theirs(cluster);
  await holdTheirs();
  await free();
  await cluster.apply(place, userOfLast);
  demo.declare({
    app: everything({ place, outside, hash: "11111111", claim: "data" }) + last(place),
  });
  const deployed = await demo.qvs("deploy", "--quiet", "--timeout", "10m");
  expect(deployed.code, deployed.stderr).toBe(0);

  const group = `watch-${randomBytes(4).toString("hex")}`;
  const where = ["--namespaces", place, "--group", group, "--group-namespace", accountsNamespace];
  const { yaml, rules } = await printed(demo, where);
  await roles.applied(yaml);
  const account = await accountOf(cluster, group);
  const api = await clusterOf(account);
  await hold(api, rules);
  const allowed = [
    ...["--allow-outside-namespace", "--allow-delete", "PersistentVolumeClaim"],
    "--allow-irreversible",
  ];
  const is = async (expected: RegExp, ...args: readonly string[]) => {
    await expect.poll(() => kubectl("get", ...args, "--ignore-not-found")).toMatch(expected);
  };
  // The second replica finds the Lease of the first, and all objects deleted.
  const killed = await start(demo, account.kubeconfig, [...where, ...allowed]);
  await is(/./, "lease", `${group}-one`, "-n", accountsNamespace);
  await killed.end("SIGKILL");
  const objects = [
    ...["deployment/web", "configmap/settings-11111111", "configmap/kept-v1", "secret/login"],
    ...["service/web", "role/reader", "rolebinding/reader", "persistentvolumeclaim/data"],
    `clusterrole/${place}`,
  ];
  await kubectl("delete", ...objects);
  await holdTheirs();
  const replica = await start(demo, await through(account), [...where, ...allowed]);
  for (const what of objects) await is(/./, what);
  await kubectl("label", "--overwrite", ...objects, "vs.axis-dev.io/stage=other");
  const stage = ["-o", "jsonpath={.metadata.labels.vs\\.axis-dev\\.io/stage}"];
  for (const what of objects) await is(/^app$/, what, ...stage);

  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: stays}}" });
  const flags = ["--allow-delete=PersistentVolumeClaim", "--quiet"];
  expect((await demo.qvs("deploy", ...flags)).code).toBe(0);
  await kubectl("delete", "pod", "user", "--grace-period=0", "--force");
  await kubectl("label", "--overwrite", "configmap/stays", "vs.axis-dev.io/stage=other");
  const deleted = objects.filter((what) => what !== "configmap/kept-v1");
  await is(/^$/, ...deleted.slice(0, -1), "configmap/last");
  const log = await replica.end("SIGTERM");
  expect(log).toContain('"stopped"');
  expect(log).not.toMatch(/"level":"(error)"/);

  // The test of `reconcile` lists the permissions that no correction uses here. The permissions in
  // a deployed Role or binding are needed to grant them.
  const given = /^(get endpoints|get nodes|bind roles)/;
  await expectUsed(
    rules.filter((rule) => !given.test(textOf(rule))),
    account.requests,
    unusedByCorrection(place),
  );
  const beyond: readonly Permission[] = [
    right(place, "", "secrets", "deletecollection"),
    right(place, "", "pods/exec", "create"),
    right(place, "", "serviceaccounts/token", "create"),
    right(place, "apps", "statefulsets", "create"),
    right(accountsNamespace, "", "secrets", "list"),
    right(accountsNamespace, "", "configmaps", "list"),
    right("default", "", "secrets", "list"),
    right(outside, "", "pods", "delete", "theirs"),
    right(undefined, "", "nodes", "list"),
    right(undefined, "rbac.authorization.k8s.io", "clusterroles", "escalate"),
  ];
  expect(await findDeniedPermissions(api, beyond, 8)).toEqual(beyond);
});

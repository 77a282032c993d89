import { expect, test } from "vitest";
import { manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { controlC, startOnTerminal } from "../support/qvs/on-terminal.ts";
import { runQvs } from "../support/qvs/run-qvs.ts";

/**
 * Tests the deletion of a whole deployment with only its inventory:
 * docs/concepts/releases.md#deleting-a-deployment
 */
const cluster = useCluster();

const deployed = {
  appSetup: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: hunter2}
`,
  app: `
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
      containers: [{name: web, image: "acme/web:1", envFrom: [{configMapRef: {name: settings}}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`,
};

const everyKind = "deployments,services,configmaps,secrets,leases,persistentvolumeclaims";

async function demoIn() {
  const demo = await manifestsIn(cluster);
  const elsewhere = temporaryRepository({ "notes.txt": "" }).directory;
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  return {
    ...demo,
    /** Starts the deletion on a terminal, where it asks. */
    removeOnTerminal: () =>
      startOnTerminal(elsewhere, ["delete", "-d", "demo", "-n", demo.namespace], env),
    /** Runs the deletion in a directory that isn't the repository of a deployment. */
    remove: (...args: readonly string[]) =>
      runQvs(elsewhere, ["delete", "-d", "demo", "-n", demo.namespace, "-q", ...args], env),
    removeAsViewer: () =>
      runQvs(elsewhere, ["delete", "-d", "demo", "-n", demo.namespace, "--yes"], {
        KUBECONFIG: cluster.kubeconfigFor("viewer"),
      }),
    left: async () => {
      const names = await demo.kubectl("get", everyKind, "-o", "name");
      return names.split("\n").filter((name) => name !== "" && !name.includes("kube-root-ca.crt"));
    },
  };
}

test("an interrupted confirmation deletes nothing and reports it", async () => {
  const demo = await demoIn();
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}" });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const asked = demo.removeOnTerminal();
  await asked.shows("type the name of the deployment");
  asked.type(controlC);
  const { code, screen } = await asked.result;
  expect(screen).toContain("Canceled. Nothing was changed.");
  expect(code).toBe(130);
  expect(await demo.left()).toContain("configmap/settings");
});

test("an identity that isn't allowed to read the records gets the roles of the deletion", async () => {
  const demo = await demoIn();
  const { code, stderr } = await demo.removeAsViewer();
  expect(code).toBe(1);
  expect(stderr).toContain("qvs can't read the releases of demo");
  expect(stderr).toContain("qvs rbac delete -d demo");
});

test("qvs deletes all objects in reverse order, then the releases, then the lock, and no other deployment's objects", async () => {
  const demo = await demoIn();
  await demo.kubectl("create", "configmap", "neighbor");
  demo.declare(deployed);
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });

  const unasked = await demo.remove();
  expect(unasked.code).toBe(1);
  expect(unasked.stderr).toContain("qvs can't ask, because this isn't a terminal");
  expect(unasked.stderr).toContain("- delete Deployment");
  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain("0 to create, 0 to update, 4 to delete");
  expect(await demo.remove("--expect-digest", "0123456789ab")).toMatchObject({ code: 1 });

  const digest = /--expect-digest (\w+)/.exec(shown.stderr)?.[1] ?? "";
  expect(await demo.remove("--expect-digest", digest)).toMatchObject({
    code: 0,
    stdout: "demo deleted\n",
  });
  const deletions = (await cluster.auditWrites(demo.namespace)).filter((write) =>
    write.startsWith("delete "),
  );
  const place = demo.namespace;
  // Independent objects are deleted concurrently.
  expect(deletions.slice(0, 2).toSorted()).toEqual([
    `delete Deployment ${place}/web`,
    `delete Service ${place}/web`,
  ]);
  expect(deletions.slice(2, 4).toSorted()).toEqual([
    `delete ConfigMap ${place}/settings`,
    `delete Secret ${place}/login`,
  ]);
  expect(deletions.slice(4)).toEqual([
    `delete Secret ${place}/qvs.demo.v1`,
    `delete Secret ${place}/qvs.demo.v2`,
    `delete Lease ${place}/qvs-demo`,
  ]);
  await demo.kubectl("wait", "--for=delete", "lease/qvs-demo", "--timeout=600s");
  expect(await demo.left()).toEqual(["configmap/neighbor"]);
  expect(await demo.remove("--yes")).toMatchObject({
    code: 0,
    stdout: `demo: nothing is recorded in namespace ${demo.namespace}\n`,
  });
});

const kept = (name: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, annotations: {vs.axis-dev.io/keepOnDelete: app-config}}
---
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
      containers: [{name: web, image: "acme/web:1", envFrom: [{configMapRef: {name: ${name}}}]}]
`;

test("kept objects stay with their releases until a flag allows the deletion, and qvs waits for finalizers", async () => {
  const demo = await demoIn();
  demo.declare({ app: kept("config-1") });
  await demo.qvs("deploy");
  demo.declare({ app: kept("config-2") });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const first = await demo.remove("--yes");
  expect(first, first.stderr).toMatchObject({
    code: 0,
    stdout: "demo deleted, except kept objects\n",
  });
  expect(first.stderr).toContain("note[kept-object]: 2 objects are kept");
  expect((await demo.left()).filter((name) => !name.includes("lease"))).toEqual([
    "configmap/config-1",
    "configmap/config-2",
    "secret/qvs.demo.v1",
    "secret/qvs.demo.v2",
    "secret/qvs.demo.v3",
  ]);

  await demo.kubectl(
    "patch",
    "configmap",
    "config-1",
    "--type=merge",
    "-p",
    '{"metadata":{"finalizers":["test.qvs/hold"]}}',
  );
  const hanging = await demo.remove("--yes", "--delete-kept", "--timeout", "1s");
  expect(hanging.code).toBe(1);
  expect(hanging.stderr).toContain("it waits for the finalizers test.qvs/hold");
  await demo.kubectl(
    "patch",
    "configmap",
    "config-1",
    "--type=merge",
    "-p",
    '{"metadata":{"finalizers":null}}',
  );
  const last = await demo.remove("--yes", "--delete-kept");
  expect(last, last.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  await demo.kubectl("wait", "--for=delete", "lease/qvs-demo", "--timeout=600s");
  expect(await demo.left()).toEqual([]);
});

test("a deleted object that is still in use isn't drift until it is unused", async () => {
  const demo = await demoIn();
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: shared}}" });
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  const spec = {
    containers: [{ name: "a", image: "a:1", envFrom: [{ configMapRef: { name: "shared" } }] }],
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "theirs" }, spec };
  demo.write("pod.json", JSON.stringify(pod));
  await demo.kubectl("create", "-f", `${demo.directory}/pod.json`);
  expect(await demo.remove("--yes")).toMatchObject({ code: 0 });
  const drift = async () => {
    const { code, stdout } = await demo.qvs("drift");
    return `${code} ${stdout.replaceAll(demo.namespace, "NS")}`;
  };
  expect(await drift()).toBe("0 demo: no drift from release 2 (0 objects)\n");
  await demo.kubectl("delete", "pod", "theirs", "--force");
  expect(await drift()).toBe(
    "2 - extra      ConfigMap NS/shared\ndemo: drift from release 2: 1 extra (of 0 objects)\n",
  );
  expect(await demo.qvs("reconcile", "-q")).toMatchObject({ code: 0 });
  expect((await demo.left()).filter((name) => name.startsWith("configmap"))).toEqual([]);
});

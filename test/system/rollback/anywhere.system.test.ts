import { expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";

/**
 * Tests that a rollback doesn't depend on the current directory, or on another one at the same
 * time.
 */
const cluster = useCluster();

const colour = (value: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {colour: ${value}}}`;

test("a fully named deployment is rolled back from an unrelated directory", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: colour("blue") });
  await demo.qvs("deploy");
  demo.declare({ app: colour("red") });
  await demo.qvs("deploy");
  const { directory } = temporaryRepository({ "notes.txt": "" });
  const named = ["--deployment", "demo", "--namespace", demo.namespace];
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const back = await runQvs(directory, ["rollback", ...named, "--to", "previous"], env);
  expect(back.stdout, back.stderr).toBe("demo release 3 succeeded (rollback to release 1)\n");
  const now = await demo.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}");
  expect(now).toBe("blue");
  const again = await runQvs(directory, ["rollback", ...named, "--to", "3"], env);
  expect(again.stdout, again.stderr).toBe("demo release 3 unchanged\n");

  const unnamed = await runQvs(directory, ["rollback", "--to", "previous"], env);
  expect(unnamed.stderr).toContain("This directory has no deployments");
  const other = ["rollback", "-d", "demmo", "-n", demo.namespace, "--to", "previous"];
  expect((await runQvs(directory, other, env)).stderr).toContain(
    "has never been deployed\n  why: No release of it is recorded in namespace",
  );
});

test("of two rollbacks to the previous release at the same time, one changes nothing", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ app: colour("blue") });
  await demo.qvs("deploy");
  demo.declare({ app: colour("red") });
  await demo.qvs("deploy");
  const { directory } = temporaryRepository({ "notes.txt": "" });
  const named = ["--deployment", "demo", "--namespace", demo.namespace];
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const rollBack = () => runQvs(directory, ["rollback", ...named, "--to", "previous"], env);
  const both = await Promise.all([rollBack(), rollBack()]);
  expect(both.map(({ stdout }) => stdout).sort()).toEqual([
    "demo release 3 succeeded (rollback to release 1)\n",
    "demo release 3 unchanged\n",
  ]);
  const now = await demo.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}");
  expect(now).toBe("blue");
});

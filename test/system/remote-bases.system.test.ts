import { afterAll, expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { BaseRepositories, configMap } from "../support/servers/base-repositories.ts";

const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

test("a remote base is deployed at its locked commit, and a new lock shows and deploys the next one", async () => {
  const place = await BaseRepositories.start(compiler);
  const bases = place.create("bases", {
    "web/kustomization.yaml": "resources: [map.yaml]\n",
    "web/map.yaml": configMap("web", "v1"),
  });
  place.overlay("namePrefix: x-\nresources: ['https://HOST/acme/bases//web?ref=main']\n");
  const namespace = await cluster.namespace("bases");
  place.app.write(
    ".valuestream/deployments.yaml",
    `deployments: [{name: demo, config: qvs.yaml, namespace: ${namespace}}]\n`,
  );
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const deployed = async () =>
    cluster.kubectl("get", "configmap", "x-web", "-n", namespace, "-o", "jsonpath={.data.text}");
  expect(await place.run(["deploy"], env)).toContain("error[lock-file-outdated]");
  await place.qvs("lock");
  expect(await place.run(["deploy"], env)).toContain("demo release 1 succeeded");
  expect(await deployed()).toBe("v1");
  place.commit(bases, { "web/map.yaml": configMap("web", "v2") });
  expect(await place.run(["diff"], env)).toContain("No changes: demo");
  await place.qvs("lock");
  expect(await place.run(["diff"], env)).toMatch(/-.*text: v1\n.*\+.*text: v2\n/);
  expect(await place.run(["deploy"], env)).toContain("demo release 2 succeeded");
  expect(await deployed()).toBe("v2");
  expect(await place.run(["rollback", "--to", "previous"], env)).toContain(
    "demo release 3 succeeded",
  );
  expect(await deployed()).toBe("v1");
});

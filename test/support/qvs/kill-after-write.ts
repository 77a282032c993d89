import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expireLock } from "../cluster/expire-lock.ts";
import type { Manifests } from "../cluster/manifests-in.ts";
import type { TestCluster } from "../cluster/use-cluster.ts";
import { startApiProxy } from "../servers/api-proxy.ts";

/**
 * Deploys, or runs another command, and ends qvs by SIGKILL after its n-th write, which can be a
 * record or the lock. The next run finds an expired lock. Returns the write, or undefined if there
 * were fewer.
 */
export async function killAfterWrite(
  cluster: TestCluster,
  demo: Manifests,
  nth: number,
  command: readonly [string, ...string[]] = ["deploy"],
): Promise<string | undefined> {
  const folder = join(dirname(demo.directory), "kubeconfigs");
  mkdirSync(folder, { recursive: true });
  const proxy = await startApiProxy(cluster.kubeconfig, folder, `run-${nth}`);
  let hit: string | undefined;
  let kill = () => {};
  proxy.setRule(({ write, text }) => {
    if (write !== nth) return undefined;
    hit = text;
    return { after: () => kill(), cut: "after" };
  });
  const running = demo.start(...command, "--quiet", "--kubeconfig", proxy.kubeconfig);
  kill = () => void running.child.kill("SIGKILL");
  await running.result;
  await proxy.settled();
  await proxy.close();
  if ((await demo.kubectl("get", "lease", "-o", "name")).includes("qvs-demo"))
    await expireLock(cluster, demo.namespace);
  return hit;
}

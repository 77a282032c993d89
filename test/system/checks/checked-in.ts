import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";

export interface Checked extends Manifests {
  /** Replaces the checks of the config. */
  check(...checks: readonly unknown[]): void;
  /** Returns the names of the ConfigMaps that qvs manages. */
  configMaps(): Promise<readonly string[]>;
}

/** A deployment of manifests with checks. */
export async function checkedIn(cluster: TestCluster): Promise<Checked> {
  const demo = await manifestsIn(cluster);
  return {
    ...demo,
    check: (...checks) =>
      demo.write(
        ".valuestream/qvs.yaml",
        JSON.stringify({
          params: [
            { name: "appSetup", type: "object" },
            { name: "app", type: "object" },
          ],
          modules: [{ name: "demo.example/adapters", local: { path: "../adapters" } }],
          designPatterns: [
            {
              pattern: "demo.example/adapters/manifests",
              params: { appSetup: "$(params.appSetup)", app: "$(params.app)" },
            },
          ],
          checks,
        }),
      ),
    configMaps: async () => {
      const selector = "vs.axis-dev.io/deployment=demo";
      const found = await demo.kubectl("get", "configmaps", "-l", selector, "-o", "name");
      return found.trim().split("\n").filter(Boolean);
    },
  };
}

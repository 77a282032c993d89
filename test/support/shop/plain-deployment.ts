import type { Deployment } from "../../../src/model/deployments/deployment.ts";

/** Returns the deployment `shop` in the namespace of that name, without an environment. */
export function plainDeployment(changes: Partial<Deployment> = {}): Deployment {
  return {
    name: "shop",
    config: "qvs.yaml",
    params: [],
    environment: undefined,
    context: undefined,
    namespace: "shop",
    dependsOn: [],
    ...changes,
  };
}

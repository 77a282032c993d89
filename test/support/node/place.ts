import type { ToolModule } from "../cluster/build.ts";

/** The programs of a real node and its control plane. */
export const nodeModules: readonly ToolModule[] = [
  "control-plane",
  "kubelet",
  "container-runtime",
  "node-programs",
];

/** The environment variable with the directory of logs and data, set only in the namespaces. */
export const workVariable = "QVS_NODE_DIRECTORY";

export const nodeName = "real-1";
/** The address of the node, outside of the ranges of Pods (10.244.0.0/24) and Services. */
export const nodeAddress = "172.31.255.1";
export const podRange = "10.244.0.0/24";
export const serviceRange = "10.0.0.0/16";

/** Returns the directory of the node's logs and data. Throws outside of the namespaces. */
export function nodeDirectory(): string {
  const directory = process.env[workVariable];
  if (directory === undefined)
    throw new Error("Tests on a real node run in its namespaces: npm run test:node");
  return directory;
}

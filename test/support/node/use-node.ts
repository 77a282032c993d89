import { inject } from "vitest";
import type { ClusterAddress } from "../cluster/address.ts";
import { clusterAt, type TestCluster } from "../cluster/use-cluster.ts";
// Declares the type of `inject`.
import type {} from "../global-node.ts";
import { importImage } from "./images.ts";
import { type Load, startLoad } from "./load.ts";

/** The control plane with a real node that all tests of a run share. */
export interface TestNode extends TestCluster {
  /**
   * Gives the node an image of the test server (`tools/node-programs/server`) with default values
   * of its environment variables.
   */
  image(name: string, environment?: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the address of a Service and its first port. */
  serviceUrl(namespace: string, service: string): Promise<string>;
  /** Starts to send requests to a Service, 100 per second by each of two clients. */
  load(namespace: string, service: string): Promise<Load>;
}

/** Returns the node. A test file calls it at its top. */
export function useNode(): TestNode {
  return nodeAt(inject("node"));
}

/** Returns a client for a node that the caller has started. */
export function nodeAt(address: ClusterAddress): TestNode {
  const cluster = clusterAt(address);
  const serviceUrl = async (namespace: string, service: string): Promise<string> => {
    const path = "jsonpath={.spec.clusterIP}:{.spec.ports[0].port}";
    return `http://${await cluster.kubectl("get", "service", service, "-n", namespace, "-o", path)}/`;
  };
  return {
    ...cluster,
    image: (name, environment = {}) => importImage(name, { program: "server", environment }),
    serviceUrl,
    load: async (namespace, service) => startLoad(await serviceUrl(namespace, service)),
  };
}

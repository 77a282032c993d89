/**
 * Returns a List of identical nodes `node-1`, `node-2` and so on. Each is its own topology domain.
 */
export function nodes(count: number): unknown {
  return {
    apiVersion: "v1",
    kind: "List",
    items: Array.from({ length: count }, (_, index) => node(`node-${index + 1}`)),
  };
}

function node(name: string): unknown {
  const resources = { cpu: "32", memory: "128Gi", pods: "250", "ephemeral-storage": "100Gi" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
      },
    },
    status: { allocatable: resources, capacity: resources },
  };
}

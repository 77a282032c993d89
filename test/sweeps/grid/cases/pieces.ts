import type {
  Fields,
  GridCase,
  GridNode,
  WorkloadOptions,
} from "../../../support/rollout-pieces.ts";

export function ingress(): Fields {
  const backend = { service: { name: "active", port: { number: 80 } } };
  const paths = [{ path: "/", pathType: "Prefix", backend }];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", annotations: { "kubernetes.io/ingress.class": "nginx" } },
    spec: { rules: [{ host: "CASE.example", http: { paths } }] },
  };
}

/** Returns node affinity with these alternative terms, in addition to anti-affinity. */
export function nodeAffinity(
  anti: readonly Fields[],
  ...nodeSelectorTerms: readonly Fields[]
): Fields {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  return {
    affinity: {
      nodeAffinity: { [required]: { nodeSelectorTerms } },
      ...(anti.length > 0 && { podAntiAffinity: { [required]: anti } }),
    },
  };
}

export function res(requests: Fields, limits?: Fields): WorkloadOptions {
  return { container: { resources: { requests, ...(limits && { limits }) } } };
}

export function around(grid: GridCase, ...objects: readonly Fields[]): GridCase {
  return { ...grid, around: [...(grid.around ?? []), ...objects] };
}

export function runtime(spec: Fields): Fields {
  const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass" };
  return { ...kind, metadata: { name: "CASE" }, handler: "grid", ...spec };
}

export function byLabel(key: string, operator: string, ...values: readonly string[]): Fields {
  return { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] };
}

export function labelled(
  ...sets: readonly Readonly<Record<string, string>>[]
): readonly GridNode[] {
  return sets.map((labels) => ({ labels }));
}

/** Returns nodes with these numbers of CPUs. */
export function big(...cpus: readonly string[]): readonly GridNode[] {
  return cpus.map((cpu) => ({ allocatable: { cpu } }));
}

export function onNode(index: number, more: WorkloadOptions = {}): WorkloadOptions {
  const nodeSelector = { grid: "CASE", "grid.example/node": `CASE-node-${index}` };
  return { ...more, pod: { nodeSelector } };
}

export const bg = (...all: Fields[]): Fields => ({
  blueGreen: Object.assign(
    { activeService: "active", previewService: "preview", scaleDownDelaySeconds: 0 },
    ...all,
  ),
});

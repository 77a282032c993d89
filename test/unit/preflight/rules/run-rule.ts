import { parse } from "yaml";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { isWorkload } from "../../../../src/preflight/predict-deletions.ts";
import type { PreflightRule } from "../../../../src/preflight/rule.ts";
import { liveFrom } from "../../../support/plan/live.ts";

const nothing = { known: true, value: [] } as const;

export const noFacts: ClusterFacts = {
  nodes: nothing,
  pods: nothing,
  replicaSets: nothing,
  namespaces: nothing,
  priorityClasses: nothing,
  claims: nothing,
  volumes: nothing,
  storageClasses: nothing,
  csiNodes: nothing,
  autoscaler: undefined,
  samplePods: new Map(),
  sampleClaims: new Map(),
  upstreamChanges: [],
  upstreamDeletions: [],
  quotas: new Map(),
  dependencies: new Map(),
  users: new Map(),
  referrers: new Map(),
  kinds: [],
  admissionObjects: [],
  unready: new Map(),
  owners: new Map(),
  unruledKinds: new Map(),
  healthRuleFaults: [],
};

/** Returns `severity: what` of each finding and, below it, the reason. */
export function findingsText(
  rule: PreflightRule,
  plan: Plan,
  facts: Partial<ClusterFacts>,
): string {
  const input = {
    plan,
    facts: { ...noFacts, ...facts },
    releases: { declared: new Set<string>() },
    placeOf: () => undefined,
  };
  return rule(input)
    .map(({ severity, what, why }) => `${severity}: ${what}${why === "" ? "" : `\n  ${why}`}`)
    .join("\n");
}

export const withPods = (pods: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {${pods}}}
`;

export const workload = (kind: string, spec: string, image = "web:1") => `
app/web:
  apiVersion: ${kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: web}
  spec:
    replicas: 3
    ${spec}
    template: {spec: {containers: [{name: web, image: "${image}", resources: {requests: {cpu: 100m}}}]}}
`;

export const rolling = (surge: string, unavailable: string) =>
  `strategy: {rollingUpdate: {maxSurge: ${surge}, maxUnavailable: ${unavailable}}}`;

export const nodesOf = (...specs: readonly string[]): ClusterFacts["nodes"] => ({
  known: true,
  value: specs.map((spec, index) =>
    parse(
      `{apiVersion: v1, kind: Node, metadata: {name: n${index}, labels: {disk: ssd}}, spec: ${spec}}`,
    ),
  ),
});

export const tainted = "{taints: [{key: gpu, effect: NoSchedule}]}";

export const forbidden = (verb: string, resource: string) =>
  `${resource} is forbidden: User "viewer" cannot ${verb} resource "${resource}" in API group "" in the namespace "shop"`;

export const namersFrom = (yaml: string): Partial<ClusterFacts> => {
  const all = [...liveFrom(yaml).values()];
  const those = (value: typeof all) => new Map([["shop", { known: true as const, value }]]);
  return {
    users: those(all.filter(isWorkload)),
    referrers: those(all.filter((o) => !isWorkload(o))),
  };
};

/** Returns the fields of the findings. */
export function findingFields(
  rule: PreflightRule,
  plan: Plan,
  facts: Partial<ClusterFacts>,
): string {
  const releases = { declared: new Set<string>() };
  const found = rule({ plan, facts: { ...noFacts, ...facts }, releases, placeOf: () => undefined });
  return found.map(({ path = [] }) => path.join(".")).join(", ");
}

export const container = "spec.template.spec.containers.0";

export const counting = (apiVersion: string, kind: string, more: string, image: string) => `
app/web:
  apiVersion: ${apiVersion}
  kind: ${kind}
  metadata: {name: web}
  spec: {${more}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "${image}"}]}}}
`;

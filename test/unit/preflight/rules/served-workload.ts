import { parse } from "yaml";
import type { Json } from "../../../../src/model/json.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { requestsLost } from "../../../../src/preflight/rules/requests-lost.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { noFacts } from "./run-rule.ts";

/** Describes a workload behind a Service; each part is YAML in flow style. */
export interface ServedWorkload {
  readonly kind?: "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout" | "Job";
  /** More fields of the spec, and of the container. */
  readonly spec?: string;
  readonly container?: string;
  /** Text after the first container, which starts with a comma. */
  readonly sidecars?: string;
  readonly pod?: string;
  readonly service?: string;
  readonly ports?: string;
  /** More objects. */
  readonly more?: string;
  readonly status?: string;
  readonly annotations?: string;
}

export const probed = "readinessProbe: {httpGet: {path: /, port: http}}";
export const hooked = "lifecycle: {preStop: {sleep: {seconds: 5}}}";
const safe = `${probed}, ${hooked}`;

export function manifests(facts: ServedWorkload, image: string): string {
  const { kind = "Deployment", spec = "replicas: 2", container = safe, pod = "" } = facts;
  const { service = "selector: {app: web}", more = "", annotations = "{}" } = facts;
  const { sidecars = "" } = facts;
  const { ports = "[{name: http, port: 80, targetPort: http}]" } = facts;
  const versions = { Rollout: "argoproj.io/v1alpha1", Job: "batch/v1" };
  const apiVersion = kind === "Rollout" || kind === "Job" ? versions[kind] : "apps/v1";
  return `
app/web:
  apiVersion: ${apiVersion}
  kind: ${kind}
  metadata: {name: web, annotations: ${annotations}}
  spec:
    selector: {matchLabels: {app: web}}
    ${spec === "" ? "" : `${spec.replaceAll("; ", "\n    ")}`}
    template:
      metadata: {labels: {app: web}}
      spec: {${pod === "" ? "" : `${pod}, `}containers: [{name: web, image: "${image}", ports: [{name: http, containerPort: 8080}], ${container}}${sidecars}]}
app/service: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {${service}, ports: ${ports}}}
${more}`;
}

/** Returns the plan that replaces the image, after a deployment of everything else. */
export function planOf(facts: ServedWorkload, before = manifests(facts, "web:1")): Plan {
  const plan = requirePlan({ before, declared: manifests(facts, "web:2") });
  if (facts.status === undefined) return plan;
  const status: Json = parse(facts.status);
  const changes = plan.changes.map((change) =>
    change.id.kind === "Service" || change.live === undefined
      ? change
      : { ...change, live: { ...change.live, status } },
  );
  return { ...plan, changes };
}

export const inputOf = (plan: Plan, facts: Partial<ClusterFacts> = {}) => ({
  plan,
  facts: { ...noFacts, ...facts },
  releases: { declared: new Set<string>() },
  placeOf: () => undefined,
});

export function findingText(facts: ServedWorkload, cluster: Partial<ClusterFacts> = {}): string {
  return requestsLost(inputOf(planOf(facts), cluster))
    .map(({ severity, what, why, fix, paste = [] }) =>
      [`${severity}: ${what}`, `  ${why}`, `  ${fix}`, ...paste.map((line) => `    ${line}`)].join(
        "\n",
      ),
    )
    .join("\n");
}

/** Returns the severity and the reasons in short. */
export function reasonsText(facts: ServedWorkload, cluster: Partial<ClusterFacts> = {}): string {
  const names: readonly (readonly [RegExp, string])[] = [
    [/Recreate|ends? before/, "none serves"],
    [/no readiness probe/, "no probe"],
    [/are killed/, "killed"],
    [/The preStop hook/, "long hook"],
    [/no preStop hook, so/, "no hook"],
  ];
  return requestsLost(inputOf(planOf(facts), cluster))
    .map(({ severity, why }) => {
      const matching = names.filter(([pattern]) => pattern.test(why)).map(([, name]) => name);
      return `${severity}: ${matching.join(", ")}`;
    })
    .join("\n");
}

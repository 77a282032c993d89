import { expect, test } from "vitest";
import { planOf } from "../../../support/plan/plan-text.ts";

const pods = (spec: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {${spec}}}}}`;

/** Returns the problems of a plan that deletes one object and keeps another. */
function refusals(stays: string, goes: string): readonly string[] {
  const declared = `app/stays: ${stays}\n`;
  const planned = planOf({
    before: `${declared}app/goes: ${goes}\n`,
    declared,
    allowDelete: ["everything"],
  });
  return planned.ok ? [] : planned.problems.map(({ code, what }) => `${code}: ${what}`);
}

test.each<[string, string]>([
  [
    pods("priorityClassName: high"),
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}}",
  ],
  [
    pods("runtimeClassName: gvisor"),
    "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: gvisor}}",
  ],
  [
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: Role, name: r}}",
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}}",
  ],
  [
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {kind: ClusterRole, name: r}}",
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}",
  ],
  [
    "{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t, annotations: {kubernetes.io/service-account.name: bot}}}",
    "{apiVersion: v1, kind: ServiceAccount, metadata: {name: bot}}",
  ],
  [
    "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: w}, spec: {strategy: {canary: {stableService: s}}}}",
    "{apiVersion: v1, kind: Service, metadata: {name: s}}",
  ],
  [
    "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: w}, spec: {parentRefs: [{name: g}]}}",
    "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}",
  ],
])("%s depends on %s", (stays, goes) => {
  expect(refusals(stays, goes)).toEqual([
    expect.stringMatching(/^dependency-deleted: .* depends on .*, which would be deleted/),
  ]);
});

test.each<[string, string, string]>([
  [
    "a class of another object",
    pods("priorityClassName: high"),
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}}",
  ],
  [
    "a permission of its Pods that is removed",
    pods("serviceAccountName: bot"),
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: bot}]}",
  ],
  [
    "an Ingress without its backend",
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: w}, spec: {defaultBackend: {service: {name: s}}}}",
    "{apiVersion: v1, kind: Service, metadata: {name: s}}",
  ],
  [
    "removed limits",
    pods("containers: []"),
    "{apiVersion: v1, kind: LimitRange, metadata: {name: l}}",
  ],
])("%s doesn't block a deletion", (_, stays, goes) => {
  expect(refusals(stays, goes)).toEqual([]);
});

import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import { containedObjects } from "../../../src/ssa/contained-objects.ts";

const ownObjects = { keys: new Set(["core:ConfigMap::tools/ours"]), uids: new Set(["ours"]) };

/**
 * Returns lines such as `ConfigMap a, manager` for objects given by kind, name and other metadata.
 */
function contained(...objects: readonly string[]): string {
  const all = objects.map((text, index): KubeObject => {
    const [kind = "", name = "", more = "{}"] = text.split(/ (.+?) (.+)/);
    const [, group, short = kind] = /^(.+)\/(.+)$/.exec(kind) ?? [];
    const apiVersion = group === undefined ? "v1" : `${group}/v1`;
    const metadata = { name, namespace: "tools", uid: `uid-${index}`, ...parse(more) };
    return { apiVersion, kind: short, metadata };
  });
  return containedObjects(all, ownObjects)
    .map(({ id, manager }) => `${id.kind} ${id.name}, ${manager || "unknown"}`)
    .join("\n");
}

test.each<[string, readonly string[], string]>([
  [
    "objects outside the deployment",
    ["ConfigMap b {}", "ConfigMap a {}"],
    "ConfigMap a, unknown\nConfigMap b, unknown",
  ],
  [
    "objects of this deployment, or owned by them",
    ["ConfigMap ours {}", "Pod p {ownerReferences: [{uid: ours}]}"],
    "",
  ],
  [
    "an owner instead of its owned objects",
    [
      "apps/Deployment web {uid: d}",
      "apps/ReplicaSet web-1 {uid: r, ownerReferences: [{uid: d}]}",
      "Pod web-1-x {ownerReferences: [{uid: r}]}",
    ],
    "Deployment web, unknown",
  ],
  [
    "objects with an owner outside the namespace",
    ["ConfigMap a {ownerReferences: [{uid: far}]}"],
    "ConfigMap a, unknown",
  ],
  [
    "cluster-scoped objects",
    [
      "ConfigMap kube-root-ca.crt {}",
      "ServiceAccount default {}",
      "events.k8s.io/Event e {}",
      "Event e {}",
      "Service web {}",
      "Endpoints web {}",
      "Endpoints gone {managedFields: [{manager: kube-controller-manager}]}",
      "Endpoints by-hand {managedFields: [{manager: kubectl}]}",
    ],
    'Endpoints by-hand, "kubectl"\nService web, unknown',
  ],
  [
    "a kind that other groups serve too",
    ["Ingress a {uid: i}", "networking.k8s.io/Ingress a {uid: i}"],
    "Ingress a, unknown",
  ],
  [
    "computed objects, or already deleted ones",
    ["PodMetrics p {uid: ''}", "Pod p {deletionTimestamp: x}"],
    "",
  ],
  [
    "the managers of objects",
    [
      "Secret a {labels: {app.kubernetes.io/managed-by: qvs, vs.axis-dev.io/deployment: shop}}",
      "Secret b {labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: tool}}",
      "Secret c {labels: {owner: helm, name: tool}}",
      "Secret d {annotations: {argocd.argoproj.io/tracking-id: 'tools:apps/Deployment:tools/d'}}",
      "Secret e {labels: {kustomize.toolkit.fluxcd.io/name: tools}}",
      "Secret f {managedFields: [{manager: kube-controller-manager}, {manager: hand}]}",
      "Secret g {annotations: {meta.helm.sh/release-name: 'a\\nb'}}",
    ],
    `Secret a, deployment shop
Secret b, Helm release tool
Secret c, Helm release tool
Secret d, Argo CD application tools
Secret e, Flux Kustomization tools
Secret f, "hand"
Secret g, unknown`,
  ],
])("%s", (_, objects, expected) => {
  expect(contained(...objects)).toBe(expected);
});

import { expect, test } from "vitest";
import { clientSideAppliers, otherAppliers } from "../../../src/ssa/other-appliers.ts";

const entry = (
  manager: string,
  fieldsV1: object,
  { operation = "Apply", subresource = "" } = {},
) => ({ manager, operation, subresource, apiVersion: "v1", fieldsV1 });
const data = { "f:data": { "f:a": {} } };

const named = { ".": {}, "f:name": {} };
const webhook = { ...named, "f:clientConfig": { "f:caBundle": {} } };

test.each([
  ["data", [entry("argocd-controller", data)], "argocd-controller"],
  ["data, each manager once", [entry("b", data), entry("a", data), entry("a", data)], "a, b"],
  ["its spec", [entry("flux", { "f:spec": { "f:replicas": {}, "f:template": {} } })], "flux"],
  ["its rules", [entry("flux", { "f:rules": {} })], "flux"],
  ["only its metadata", [entry("labeller", { "f:metadata": { "f:labels": {} } })], ""],
  ["its status", [entry("controller", { "f:status": {} })], ""],
  ["a subresource", [entry("controller", data, { subresource: "status" })], ""],
  ["its number of replicas", [entry("scaler", { "f:spec": { "f:replicas": {} } })], ""],
  [
    "a certificate in each of its webhooks",
    [entry("cert-manager-cainjector", { "f:webhooks": { 'k:{"name":"a"}': webhook } })],
    "",
  ],
  [
    "only the key of an item",
    [entry("flux", { "f:webhooks": { 'k:{"name":"a"}': named } })],
    "flux",
  ],
  [
    "none of its fields, but updates it",
    [entry("kubectl-edit", data, { operation: "Update" })],
    "",
  ],
  ["it as this deployment", [entry("qvs-demo-app", data), entry("qvs-demo-appSetup", data)], ""],
  ["it as a deployment under a former name", [entry("qvs-shop-app", data)], ""],
] as const)("other field managers apply %s", (_, managedFields, expected) => {
  const metadata = { name: "it", managedFields };
  const live = { apiVersion: "v1", kind: "ConfigMap", metadata };
  expect(otherAppliers(live as never).join(", ")).toBe(expected);
});

const aggregated = entry("clusterrole-aggregation-controller", { "f:rules": {} });

test.each([
  [{ clusterRoleSelectors: [] }, ""],
  [undefined, "clusterrole-aggregation-controller"],
])("the rules of an aggregated role (%j) belong to the cluster", (aggregationRule, expected) => {
  const metadata = { name: "it", managedFields: [aggregated] };
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata };
  const live = aggregationRule === undefined ? role : { ...role, aggregationRule };
  expect(otherAppliers(live as never).join(", ")).toBe(expected);
});

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const update = { operation: "Update" };
const applied = { "f:metadata": { "f:annotations": { [`f:${lastApplied}`]: {} } }, ...data };

test.each([
  [
    "an object with their manifest",
    { [lastApplied]: "{}" },
    [entry("kubectl-client-side-apply", applied, update), entry("argocd-controller", data, update)],
    "kubectl-client-side-apply",
  ],
  [
    "no object that qvs has adopted since",
    {},
    [entry("kubectl-client-side-apply", applied, update)],
    "",
  ],
  ["no object of this deployment", { [lastApplied]: "{}" }, [entry("qvs-demo-app", applied)], ""],
] as const)(
  "clients without Server-Side Apply apply %s",
  (_, annotations, managedFields, expected) => {
    const metadata = { name: "it", annotations, managedFields };
    const live = { apiVersion: "v1", kind: "ConfigMap", metadata };
    expect(clientSideAppliers(live as never).join(", ")).toBe(expected);
  },
);

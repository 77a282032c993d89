import { expect, test } from "vitest";
import { otherAppliers } from "../../src/ssa/other-appliers.ts";

const entry = (
  manager: string,
  fieldsV1: object,
  { operation = "Apply", subresource = "" } = {},
) => ({ manager, operation, subresource, apiVersion: "v1", fieldsV1 });
const data = { "f:data": { "f:a": {} } };

test.each([
  ["data", [entry("argocd-controller", data)], "argocd-controller"],
  ["data, each of them once", [entry("b", data), entry("a", data), entry("a", data)], "a, b"],
  ["its spec", [entry("flux", { "f:spec": { "f:replicas": {}, "f:template": {} } })], "flux"],
  ["its rules", [entry("flux", { "f:rules": {} })], "flux"],
  ["nothing but metadata", [entry("labeller", { "f:metadata": { "f:labels": {} } })], ""],
  ["its status", [entry("controller", { "f:status": {} })], ""],
  ["a subresource", [entry("controller", data, { subresource: "status" })], ""],
  ["its number of replicas", [entry("scaler", { "f:spec": { "f:replicas": {} } })], ""],
  ["nothing of it, but updates it", [entry("kubectl-edit", data, { operation: "Update" })], ""],
  ["it as this deployment", [entry("qvs-demo-app", data), entry("qvs-demo-appSetup", data)], ""],
  ["it as a deployment under a former name", [entry("qvs-shop-app", data)], ""],
] as const)("who applies %s", (_, managedFields, expected) => {
  const metadata = { name: "it", managedFields };
  const live = { apiVersion: "v1", kind: "ConfigMap", metadata };
  expect(otherAppliers(live as never).join(", ")).toBe(expected);
});

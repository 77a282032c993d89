import { expect, test } from "vitest";
import { parseFieldPath } from "../../../src/inputs/field-path.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { ownersOfField } from "../../../src/ssa/field-owners.ts";

const entry = (manager: string, time: string, fieldsV1: JsonObject, subresource = "") => ({
  ...{ manager, operation: "Apply", time, fieldsV1 },
  ...(subresource === "" ? {} : { subresource }),
});

const object = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    finalizers: ["a", "b"],
    managedFields: [
      entry("qvs-shop-app", "2026-01-01T00:00:00Z", {
        "f:metadata": { "f:finalizers": { 'v:"a"': {} } },
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {} } },
        },
      }),
      entry("kubectl-edit", "2026-01-02T00:00:00Z", {
        "f:metadata": { "f:finalizers": { 'v:"b"': {} } },
        "f:spec": { "f:containers": { 'k:{"name":"proxy"}': { "f:image": {} } } },
      }),
      entry("autoscaler", "2026-01-03T00:00:00Z", { "f:spec": { "f:replicas": {} } }, "scale"),
    ],
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate" },
    containers: [
      { name: "web", image: "web:1" },
      { name: "proxy", image: "proxy:1" },
    ],
  },
};

test.each([
  ["spec.replicas", "autoscaler qvs-shop-app"],
  ["spec.selector.matchLabels.app", "qvs-shop-app"],
  ['spec.containers[name="web"].image', "qvs-shop-app"],
  ["spec.containers[1].image", "kubectl-edit"],
  ["spec.containers", "kubectl-edit qvs-shop-app"],
  ["metadata.finalizers[0]", "qvs-shop-app"],
  ["metadata.finalizers[1]", "kubectl-edit"],
  ["spec.strategy.type", ""],
  ["spec.none", ""],
])("%s is owned by %j", (path, managers) => {
  const owners = ownersOfField(object, parseFieldPath(path) ?? []);
  expect(owners.map(({ manager }) => manager).join(" ")).toBe(managers);
});

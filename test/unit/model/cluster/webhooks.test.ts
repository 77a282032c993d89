import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { unservedWebhook } from "../../../../src/model/cluster/api/messages/denials.ts";
import { webhookServers } from "../../../../src/model/cluster/webhooks.ts";
import { idOf, type KubeObject, nameOf } from "../../../../src/model/object.ts";

const down = (reason: string) =>
  `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.shop.svc:443/?timeout=1s": ${reason}`;

const service = `
apiVersion: v1
kind: Service
metadata: {name: guard, namespace: shop}
spec: {selector: {app: guard}}
`;
const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: guard, namespace: shop}
spec: {template: {metadata: {labels: {app: guard}}, spec: {containers: []}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {metadata: {labels: {app: web}}, spec: {containers: []}}}
`;

function parse(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);
}

function servers(message: string, objects: string, live?: string): readonly string[] {
  const webhook = unservedWebhook({ message });
  if (webhook === undefined) return ["not down"];
  const found = webhookServers(webhook, parse(objects), () => parse(live ?? "")[0]);
  return found.map((object) => nameOf(idOf(object)));
}

test.each([
  [
    "its Service, and the workload behind it",
    `${service}---${workloads}`,
    undefined,
    ["Service shop/guard", "Deployment shop/guard"],
  ],
  ["a workload behind a live Service", workloads, service, ["Deployment shop/guard"]],
  ["nothing, if both are of others", workloads.replaceAll("guard", "other"), service, []],
  ["nothing, if the Service doesn't exist", workloads, undefined, []],
])("a webhook is served by %s", (_, objects, live, expected) => {
  expect(servers(down('service "guard" not found'), objects, live)).toEqual(expected);
});

test("a webhook that answers with an error isn't started by a deployment", () => {
  expect(servers(down("x509: certificate signed by unknown authority"), service)).toEqual([
    "not down",
  ]);
});

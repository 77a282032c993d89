import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ApiResult } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { applyJsonPatch } from "../../../../src/ssa/json-patch.ts";
import type { StepCandidate } from "../../../../src/ssa/steps/step.ts";
import { transferOwnership } from "../../../../src/ssa/steps/transfer-ownership.ts";
import { refused } from "../../../support/fake-cluster.ts";

function deployment(podSpec: string, managedFields = "[]"): KubeObject {
  return parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, managedFields: ${managedFields}}
spec: {template: {spec: ${podSpec}}}
`) as KubeObject;
}

function entry(manager: string, operation: string, fields: string): string {
  const fieldsV1 = `{f:spec: {f:template: {f:spec: ${fields}}}}`;
  return `{manager: ${manager}, operation: ${operation}, apiVersion: apps/v1, fieldsV1: ${fieldsV1}}`;
}

function containers(fields: string): string {
  return `{f:containers: {'k:{"name":"web"}': {.: {}, f:name: {}, ${fields}}}}`;
}

function candidate(object: KubeObject, live: KubeObject): StepCandidate {
  const rules = { conflicts: { force: false, takeover: [] }, recorded: undefined };
  return { deployment: "shop", stage: "app", object, live, recreated: object, ...rules };
}

const twoHandlers = refused("invalid", 422, "invalid").failure;
const refusal = {
  ...twoHandlers,
  causes: [
    {
      reason: "FieldValueForbidden",
      field: "spec.template.spec.containers[0].livenessProbe.httpGet",
      message: "Forbidden: may not specify more than 1 handler type",
    },
  ],
};
const answer = { ok: false, failure: refusal } as const;

test("the dry-run of an update replaces the same fields as a whole as an apply", () => {
  const live = deployment(
    "{nodeSelector: {disk: ssd, zone: a}, tolerations: [{key: a, operator: Exists, effect: NoSchedule}], containers: [{name: web, livenessProbe: {httpGet: {port: 80}}}]}",
    `[${entry("kubectl-client-side-apply", "Update", '{f:nodeSelector: {}, f:tolerations: {}, f:containers: {\'k:{"name":"web"}\': {.: {}, f:name: {}, f:livenessProbe: {.: {}, f:httpGet: {.: {}, f:port: {}}}}}}')}]`,
  );
  const declared = deployment(
    "{nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], containers: [{name: web, livenessProbe: {exec: {command: [check]}}}]}",
  );
  const trial = transferOwnership.detect(candidate(declared, live), {
    alone: answer,
    answer,
    steps: [{ type: "apply" }],
  });
  const [request] = trial?.requests ?? [];
  const operations = typeof request === "object" && request.verb === "patch" ? request.patch : [];
  expect(applyJsonPatch(live, operations).spec).toEqual(declared.spec);
});

const probe = (handler: string) => `{name: web, livenessProbe: ${handler}}`;

test.each([
  ["the object in the way is read first, and found", "kubectl-edit", "kubectl-edit"],
  [
    "an object with another value is followed by the next one",
    "sidecar-controller",
    "sidecar-controller",
  ],
  ["two objects in the way are named", "both", "kubectl-edit, sidecar-controller"],
])("among managers with other fields, %s", (_, inTheWay, named) => {
  const sidecar = `{f:containers: {'k:{"name":"sidecar"}': {.: {}, f:name: {}}}}`;
  const handler = "f:livenessProbe: {.: {}, f:httpGet: {.: {}, f:port: {}}}";
  const entries = [
    entry("helm", "Update", "{f:priorityClassName: {}}"),
    entry("kubectl-edit", "Update", containers(handler)),
    entry("sidecar-controller", "Apply", sidecar),
  ];
  const live = deployment(
    `{priorityClassName: high, containers: [${probe("{httpGet: {port: 80}}")}, {name: sidecar}]}`,
    `[${entries.join(", ")}]`,
  );
  const declared = deployment(`{containers: [${probe("{exec: {command: [check]}}")}]}`);
  const soFar = { alone: answer, answer, steps: [{ type: "apply" }] } as const;
  const trial = transferOwnership.detect(candidate(declared, live), soFar);
  const requests = [...(trial?.requests ?? []), ...(trial?.fallbacks ?? [])];
  const answers: ApiResult<KubeObject>[] = [];
  for (const each of requests) {
    const request = typeof each === "function" ? each(answers) : each;
    if (answers.at(-1)?.ok === true || request?.verb !== "patch") continue;
    const operations = JSON.stringify(applyJsonPatch(live, request.patch).spec);
    const isRefused = {
      "kubectl-edit": operations.includes("httpGet"),
      "sidecar-controller": operations.includes("sidecar"),
      both: operations.includes("httpGet") || operations.includes("sidecar"),
    }[inTheWay];
    answers.push(isRefused === false ? { ok: true, value: live } : answer);
  }
  expect(trial?.conclude(answers).excludedBy?.managers.join(", ")).toBe(named);
});

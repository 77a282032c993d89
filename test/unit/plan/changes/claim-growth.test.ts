import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ApiFailure, ApiResult } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  type ClaimGrowthFacts,
  describeGrowth,
  hasLargerTemplate,
  smallerClaims,
  withClaimGrowth,
} from "../../../../src/plan/changes/claim-growth.ts";
import { digestSteps } from "../../../../src/ssa/steps/steps.ts";
import { declare, problemText, text } from "../../../support/plan/declare.ts";
import { planOf, planText } from "../../../support/plan/plan-text.ts";

const template = (size: string, name = "data") =>
  `{metadata: {name: ${name}}, spec: {resources: {requests: {storage: ${size}}}}}`;

const set = (templates: string, annotations = "{}") =>
  `app/db: {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop, annotations: ${annotations}}, spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}}, volumeClaimTemplates: [${templates}]}}`;

const object = (templates: string): KubeObject => parse(set(templates))["app/db"];

function claim(name: string, size: string, namespace = "shop"): KubeObject {
  return parse(
    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}, namespace: ${namespace}, uid: uid-${name}}, spec: {storageClassName: fast, resources: {requests: {storage: ${size}}}}}`,
  );
}

test.each([
  ["smaller claims of all ordinals", [claim("data-db-10", "1Gi"), claim("data-db-2", "1Gi")], 2],
  ["no claim of the same size in other units", [claim("data-db-0", "2048Mi")], 0],
  ["no larger claim", [claim("data-db-0", "3Gi")], 0],
  ["no claim of another set", [claim("data-db-x-0", "1Gi"), claim("other-db-0", "1Gi")], 0],
  ["no claim of another namespace", [claim("data-db-0", "1Gi", "other")], 0],
] as const)("of the claims grow: %s", (_, claims, count) => {
  const found = smallerClaims(object(template("2Gi")), claims);
  expect(found).toHaveLength(count);
  for (const each of found) {
    expect(each).toMatchObject({ from: "1Gi", to: "2Gi", storageClass: "fast" });
  }
});

test.each([
  [template("1Gi"), template("2Gi"), true],
  [template("2Gi"), template("1Gi"), false],
  [template("1Gi"), template("1024Mi"), false],
  [template("1Gi", "old"), template("2Gi", "new"), false],
])("whether %s is smaller than %s", (before, after, isLarger) => {
  expect(hasLargerTemplate(object(after), object(before))).toBe(isLarger);
});

const growth = (ordinal: number) => ({
  ...{ name: `data-db-${ordinal}`, uid: `uid-${ordinal}`, from: "1Gi", to: "2Gi" },
  storageClass: "fast",
});

test("claims with the same sizes are named together", () => {
  expect(describeGrowth([growth(0), growth(1), { ...growth(2), from: "500Mi" }])).toBe(
    "data-db-0, data-db-1 from 1Gi to 2Gi; data-db-2 from 500Mi to 2Gi",
  );
});

const key = "apps:StatefulSet::shop/db";
const immutable: ApiResult<KubeObject> = {
  ok: false,
  failure: {
    ...{ reason: "invalid", status: 422, message: "StatefulSet is invalid" },
    causes: [
      {
        reason: "FieldValueForbidden",
        field: "spec",
        message:
          "Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden",
      },
    ],
  },
};
const noExpansion = refusal(
  'persistentvolumeclaims "data-db-0" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
);

function refusal(message: string): ApiFailure {
  return { reason: "forbidden", status: 403, message, causes: [] };
}

/**
 * Returns the verdict on a StatefulSet whose replacement keeps its Pods. `classes` are declared
 * too.
 */
function judged(
  facts: ClaimGrowthFacts,
  {
    purpose = "deploy" as const,
    classes = "",
  }: { purpose?: "preview" | "deploy"; classes?: string } = {},
) {
  const [desired] = declare(set(template("2Gi")));
  if (desired === undefined) throw new Error("nothing is declared");
  const others = classes === "" ? [] : declare(classes);
  const verdict = { steps: [{ type: "orphan", fields: [] }, { type: "apply" }] } as const;
  return withClaimGrowth({ ...verdict, certainty: { by: "server" } }, desired, {
    rules: { purpose },
    desired: { byKey: new Map(others.map((each) => [each.key, each])) },
    observed: { claimGrowth: new Map([[key, facts]]) },
  });
}

describe("a StatefulSet that is replaced without its Pods", () => {
  test("first grows its claims, which are part of the digest", () => {
    const { steps, problems } = judged({ claims: [{ growth: growth(0) }, { growth: growth(1) }] });
    expect(problems).toBeUndefined();
    expect(steps.map(({ type }) => type)).toEqual(["grow-claims", "orphan", "apply"]);
    const grows = [0, 1].map((ordinal) => ({
      ...{ name: `data-db-${ordinal}`, uid: `uid-${ordinal}`, to: "2Gi" },
    }));
    expect(digestSteps(steps)).toEqual({ keepsPods: true, grows });
  });

  test("grows none that is large enough", () => {
    expect(judged({ claims: [] }).steps.map(({ type }) => type)).toEqual(["orphan", "apply"]);
  });

  test("is blocked by a class that allows no growth", () => {
    const { problems = [] } = judged({ claims: [{ growth: growth(0), failure: noExpansion }] });
    expect(problemText(problems)).toBe(
      text(`
      StatefulSet shop/db: its PersistentVolumeClaims can't grow
        claims: data-db-0 from 1Gi to 2Gi
        answer: ${noExpansion.message}
        → Set allowVolumeExpansion: true in its StorageClass, if the driver can expand volumes. Without a StorageClass, keep the size, or declare another PersistentVolumeClaim and move the data
          or declare the size that the claims have
      `),
    );
  });

  test("is not blocked if the same deployment lets the class allow it", () => {
    const fast = (allows: boolean) =>
      `app/fast: {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, allowVolumeExpansion: ${allows}}`;
    const facts = { claims: [{ growth: growth(0), failure: noExpansion }] };
    expect(judged(facts, { classes: fast(true) }).problems).toBeUndefined();
    expect(judged(facts, { classes: fast(false) }).problems).toHaveLength(1);
  });

  test("is blocked if its claims can't be listed", () => {
    const { problems = [] } = judged({ claims: [], unread: "no" });
    expect(problems.map(({ code }) => code)).toEqual(["missing-permission"]);
  });

  test("needs the permission to change them only to be deployed", () => {
    const denied = refusal(
      'persistentvolumeclaims "data-db-0" is forbidden: User "ci" cannot patch resource "persistentvolumeclaims" in API group "" in the namespace "shop"',
    );
    const facts = { claims: [{ growth: growth(0), failure: denied }] };
    expect(judged(facts, { purpose: "preview" }).problems).toBeUndefined();
    expect(judged(facts).problems?.map(({ code }) => code)).toEqual(["missing-permission"]);
  });
});

test("without the annotation, the error says what to paste", () => {
  const planned = planOf({
    ...{ before: set(template("1Gi")), declared: set(template("2Gi")) },
    answers: { [key]: immutable },
  });
  expect(planText(planned)).toBe(
    text(`
    StatefulSet shop/db: spec.volumeClaimTemplates can't be changed
      answer: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden
      why: Under another name, it starts with new, empty PersistentVolumeClaims
      → Keep the Pods and grow the claims, if their StorageClass allows volume expansion: add the annotation vs.axis-dev.io/replace: orphan
        or give the object another name
        or add the annotation vs.axis-dev.io/replace: "true" if it can be absent for a moment
    `),
  );
  expect(planned.ok ? [] : planned.problems[0]?.paste).toEqual([
    "metadata:",
    "  annotations:",
    "    vs.axis-dev.io/replace: orphan",
  ]);
});

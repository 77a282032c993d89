import { describe, expect, it } from "vitest";
import { explainFailure } from "../../../../src/apply/failure/explain-failure.ts";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import type { JsonObject } from "../../../../src/model/json.ts";

const cases: readonly {
  readonly name: string;
  readonly failure: Partial<ApiFailure>;
  readonly annotations?: JsonObject;
  readonly what: string;
  readonly answer?: string;
  readonly fix: RegExp;
}[] = [
  {
    name: "a conflict names every field and its owner",
    failure: {
      reason: "conflict",
      causes: [
        {
          reason: "FieldManagerConflict",
          field: ".spec.replicas",
          message: 'conflict with "kubectl" using apps/v1',
        },
      ],
    },
    what: "other field managers own fields that it sets",
    answer: 'spec.replicas (conflict with "kubectl" using apps/v1)',
    fix: /ignore-changes/,
  },
  {
    name: "another uid means another object",
    failure: {
      reason: "invalid",
      causes: [
        { reason: "FieldValueInvalid", field: "metadata.uid", message: "field is immutable" },
      ],
    },
    what: "it was deleted or replaced by another object with its name after qvs made the plan",
    fix: /^Run again/,
  },
  {
    name: "a uid without an object means that it was deleted",
    failure: { reason: "conflict", message: "uid mismatch: the provided object specified uid x" },
    what: "it was deleted or replaced by another object with its name after qvs made the plan",
    fix: /^Run again/,
  },
  {
    name: "another version of the object has one meaning and is reported once",
    failure: {
      reason: "conflict",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    },
    what: "another user or tool changed it after qvs made the plan",
    fix: /^Run again/,
  },
  {
    name: "the fix for an immutable field suggests another name",
    failure: {
      reason: "invalid",
      causes: [
        { reason: "FieldValueInvalid", field: "spec.selector", message: "field is immutable" },
      ],
    },
    what: "the API server rejected it as invalid",
    answer: "spec.selector: field is immutable",
    fix: /^Give the object another name, or delete it first/,
  },
  {
    name: "an immutable field of a recreatable object suggests another run",
    failure: {
      reason: "invalid",
      causes: [
        { reason: "FieldValueInvalid", field: "spec.template", message: "field is immutable" },
      ],
    },
    annotations: { "vs.axis-dev.io/replace": "true" },
    what: "the API server rejected it as invalid",
    answer: "spec.template: field is immutable",
    fix: /^Run again: qvs deletes the object and creates it again/,
  },
  {
    name: "a missing permission is reported with the rule to allow",
    failure: {
      reason: "forbidden",
      message: 'User "ci" cannot patch resource "deployments" in API group "apps"',
    },
    what: "the API server denied the request",
    answer: 'User "ci" cannot patch resource "deployments" in API group "apps"',
    fix: /^Allow patch on deployments\.apps to this identity/,
  },
  {
    name: "a missing permission in one namespace suggests a Role there",
    failure: {
      reason: "forbidden",
      message:
        'jobs.batch is forbidden: User "ci" cannot create resource "jobs" in API group "batch" in the namespace "shop"',
    },
    what: "the API server denied the request",
    answer:
      'jobs.batch is forbidden: User "ci" cannot create resource "jobs" in API group "batch" in the namespace "shop"',
    fix: /^Allow create on jobs\.batch in namespace shop to this identity/,
  },
  {
    name: "a quota error suggests no role",
    failure: { reason: "forbidden", message: "exceeded quota: compute" },
    what: "the API server denied the request",
    answer: "exceeded quota: compute",
    fix: /^Raise the quota/,
  },
];

describe("a rejection by the API server", () => {
  it.each(cases)("$name", ({ failure, annotations = {}, what, answer, fix }) => {
    const full = { reason: "other", status: 0, message: "", causes: [], ...failure } as const;
    const explanation = explainFailure(full, { kind: "ConfigMap", metadata: { annotations } });
    expect(explanation.what).toBe(what);
    expect(explanation.facts).toEqual(answer && [{ label: "answer", value: answer }]);
    expect(explanation.fix).toMatch(fix);
  });
});

import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ApiResult, FailureCause } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { DryRunRequest, StepCandidate } from "../../../../src/ssa/steps/step.ts";
import { detections, plainResult } from "../../../../src/ssa/steps/steps.ts";

/** The server's answers in order. The first one is about the object as it is. */
type Answers = readonly ApiResult<KubeObject>[];

/** Returns the steps, and the requests on the way to them. */
function check(candidate: Partial<StepCandidate>, [alone, ...answers]: Answers): string {
  if (alone === undefined) throw new Error("the server answers at least once");
  const sent: string[] = [];
  let result = plainResult(alone);
  for (const detect of detections) {
    const trial = detect({ ...usual, ...candidate }, result);
    if (trial === undefined) continue;
    const given: ApiResult<KubeObject>[] = [];
    const ask = (request: DryRunRequest | undefined) => {
      if (request === undefined) return;
      given.push(answers[sent.length] ?? accepted());
      sent.push(wordsFor(request));
    };
    for (const each of trial.requests) {
      if (given.at(-1)?.ok !== false) ask(typeof each === "function" ? each(given) : each);
    }
    for (const each of trial.fallbacks ?? []) if (given.at(-1)?.ok === false) ask(each(given));
    result = trial.conclude(given);
  }
  const steps = result.steps.map(({ type }) => type).join(", ");
  const verdict = result.unanswered ?? (result.answer.ok ? "accepted" : "refused");
  return `${["apply", ...sent].join(", ")} → ${steps}: ${verdict}`;
}

function wordsFor(request: DryRunRequest): string {
  if (request.verb === "patch") return "patch";
  const verb = request.verb === "apply" && request.force ? "force" : request.verb;
  return `${verb} ${String(request.object.metadata.name)}`;
}

const object = configMap("{name: a, annotations: {vs.axis-dev.io/replace: 'true'}}");
const usual: StepCandidate = {
  deployment: "shop",
  stage: "app",
  object,
  live: object,
  recreated: object,
  conflicts: { force: true, takeover: [] },
  recorded: undefined,
};

function configMap(metadata: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: parse(metadata) };
}

/** Creates a Job with this condition. The annotation says whether qvs can replace it. */
function job(condition?: string, replace?: string): KubeObject {
  const annotations = replace === undefined ? {} : { "vs.axis-dev.io/replace": replace };
  const conditions = condition === undefined ? [] : [{ type: condition, status: "True" }];
  const metadata = { name: "j", namespace: "shop", annotations };
  return { apiVersion: "batch/v1", kind: "Job", metadata, status: { conditions } };
}

/** Creates a StatefulSet with this selector, whose manifest asks to keep its Pods. */
function statefulSet(selector: string, replicas?: number): KubeObject {
  const scale = replicas === undefined ? "" : `replicas: ${replicas}, `;
  return parse(
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop, annotations: {vs.axis-dev.io/replace: orphan}}, spec: {${scale}selector: {matchLabels: ${selector}}, template: {metadata: {labels: ${selector}}}}}`,
  );
}

function ofSet(object: KubeObject): Partial<StepCandidate> {
  return { object, recreated: object, live: statefulSet("{app: db}") };
}

/** An object with a field of kubectl that isn't declared. */
const ofKubectl = configMap(
  "{name: a, annotations: {team: t}, managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, fieldsV1: {f:metadata: {f:annotations: {f:team: {}}}}}]}",
);

/** An object that qvs has patched. A patch is an update, with the same manager name as an apply. */
const ofOurPatch = configMap(
  "{name: a, annotations: {vs.axis-dev.io/replace: 'true'}, managedFields: [{manager: qvs-shop-app, operation: Update, apiVersion: v1, fieldsV1: {f:metadata: {f:annotations: {f:vs.axis-dev.io/replace: {}}}}}, {manager: qvs-shop-app, operation: Apply, apiVersion: v1, fieldsV1: {f:metadata: {f:annotations: {f:vs.axis-dev.io/replace: {}}}}}]}",
);

/** An object that this deployment applied in its other stage. */
const ofOtherStage = configMap(
  "{name: a, annotations: {vs.axis-dev.io/replace: 'true'}, managedFields: [{manager: qvs-shop-appSetup, operation: Apply, apiVersion: v1, fieldsV1: {f:data: {f:a: {}}}}]}",
);

/** An object with an owner in an older version of the API. */
const ofOldVersion = configMap(
  "{name: a, managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, fieldsV1: {}}, {manager: x, operation: Apply, apiVersion: v0, fieldsV1: {}}]}",
);

function strategy(text: string): KubeObject {
  return { ...configMap("{name: a}"), spec: { strategy: parse(text) } };
}

function accepted(value = object): ApiResult<KubeObject> {
  return { ok: true, value };
}

function refused(message: string, ...causes: readonly FailureCause[]): ApiResult<KubeObject> {
  return { ok: false, failure: { reason: "invalid", status: 422, message, causes } };
}

const immutable = refused("", {
  reason: "FieldValueInvalid",
  field: "data",
  message: "field is immutable",
});
const immutableWith = (field: string) =>
  refused(
    "",
    { reason: "FieldValueInvalid", field: "spec.failures", message: "field is immutable" },
    { reason: "FieldValueNotSupported", field, message: "Unsupported value" },
  );
const full = (used: string, limited: string) =>
  `configmaps "a-qvs-preview" is forbidden: exceeded quota: most, requested: configmaps=1, used: configmaps=${used}, limited: configmaps=${limited}`;
const conflict = refused("", {
  reason: "FieldManagerConflict",
  field: ".data.a",
  message: 'conflict with "hpa" using v1',
});
const ownConflict = refused("", {
  reason: "FieldManagerConflict",
  field: ".metadata.annotations.vs.axis-dev.io/replace",
  message: 'conflict with "qvs-shop-app" using v1',
});
const stageConflict = refused("", {
  reason: "FieldManagerConflict",
  field: ".data.a",
  message: 'conflict with "qvs-shop-appSetup" using v1',
});
const forbidden = refused("", {
  reason: "FieldValueForbidden",
  field: "spec.strategy.rollingUpdate",
  message: "may not be specified",
});
const exists: ApiResult<KubeObject> = {
  ok: false,
  failure: { reason: "already-exists", status: 409, message: "", causes: [] },
};
const inconvertible = refused("failed to convert a: .x: field not declared in schema");

test.for<readonly [string, Partial<StepCandidate>, Answers, string]>([
  ["an accepted object is applied", {}, [accepted()], "apply → apply: accepted"],
  [
    "a conflict that the user allows is forced",
    {},
    [conflict, accepted()],
    "apply, force a → force: accepted",
  ],
  [
    "a field of an earlier patch by qvs isn't a conflict",
    { live: ofOurPatch, conflicts: { force: false, takeover: [] } },
    [ownConflict, accepted(ofOurPatch)],
    "apply, force a → transfer-ownership, apply: accepted",
  ],
  [
    "any other conflict stays a conflict",
    { conflicts: { force: false, takeover: ["helm"] } },
    [conflict],
    "apply → apply: refused",
  ],
  [
    "an object that is also rejected with force isn't recreated",
    {},
    [conflict, immutable],
    "apply, force a → force: refused",
  ],
  [
    "an object of another stage is recreated",
    { live: ofOtherStage, conflicts: { force: false, takeover: [] } },
    [stageConflict, immutable, accepted(configMap("{name: a-qvs-preview}"))],
    "apply, force a, apply a-qvs-preview → recreate, apply: accepted",
  ],
  [
    "an immutable field leads to a recreation",
    {},
    [immutable, accepted(configMap("{name: a-qvs-preview}"))],
    "apply, apply a-qvs-preview → recreate, apply: accepted",
  ],
  [
    "an object that a webhook calls immutable is recreated too",
    {},
    [refused('admission webhook "w" denied the request: the spec is immutable'), accepted()],
    "apply, apply a-qvs-preview → recreate, apply: accepted",
  ],
  [
    "an object that a webhook denies for another reason isn't recreated",
    {},
    [refused('admission webhook "w" denied the request: no team'), accepted()],
    "apply → apply: refused",
  ],
  [
    "an object isn't recreated if the new one is rejected too",
    {},
    [immutable, refused("no"), refused("no")],
    "apply, apply a-qvs-preview, create a → apply: refused",
  ],
  [
    "an object is recreated if only its own name is valid",
    {},
    [immutable, refused("the name must be a"), exists],
    "apply, apply a-qvs-preview, create a → recreate, apply: the API server accepts it only under its own name, so no dry run shows the result",
  ],
  [
    "an object is recreated if only a quota rejects it that the old one uses",
    {},
    [immutable, refused(full("1", "1"))],
    "apply, apply a-qvs-preview → recreate, apply: ResourceQuota most has no room for it until the old object is deleted",
  ],
  [
    "an object isn't recreated if the quota is exceeded by more than the old one frees",
    {},
    [immutable, refused(full("2", "1")), refused(full("2", "1"))],
    "apply, apply a-qvs-preview, create a → apply: refused",
  ],
  [
    "an object that must not be deleted isn't recreated",
    { recreated: undefined },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a completed Job is recreated without a request",
    { object: job(), recreated: job(), live: job("Complete") },
    [immutable],
    "apply, apply j-qvs-preview → recreate, apply: accepted",
  ],
  [
    "a completed Job is recreated although one of its defaults is rejected, too",
    { object: job(), recreated: job(), live: { ...job("Complete"), spec: { policy: "Default" } } },
    [immutableWith("spec.policy")],
    "apply, apply j-qvs-preview → recreate, apply: accepted",
  ],
  [
    "a completed Job isn't recreated if a declared value is rejected, too",
    {
      ...{ object: { ...job(), spec: { policy: "Declared" } }, recreated: job() },
      live: { ...job("Complete"), spec: { policy: "Default" } },
    },
    [immutableWith("spec.policy")],
    "apply → apply: refused",
  ],
  [
    "a completed Job isn't recreated if a default is the only reason",
    { object: job(), recreated: job(), live: { ...job("Complete"), spec: { policy: "Default" } } },
    [
      refused("", {
        reason: "FieldValueNotSupported",
        field: "spec.policy",
        message: "Unsupported",
      }),
    ],
    "apply → apply: refused",
  ],
  [
    "a failed Job is recreated without a request",
    { object: job(), recreated: job(), live: job("Failed") },
    [immutable],
    "apply, apply j-qvs-preview → recreate, apply: accepted",
  ],
  [
    "a running Job isn't recreated",
    { object: job(), recreated: job(), live: job("FailureTarget") },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a Job whose manifest forbids it isn't recreated",
    { object: job(undefined, "false"), recreated: job(), live: job("Complete") },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a Job isn't recreated in a drift correction",
    { object: job(), recreated: job(), live: job("Complete"), corrects: true },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a StatefulSet can be recreated without its Pods",
    ofSet(statefulSet("{app: db}")),
    [immutable],
    "apply, apply db-qvs-preview → orphan, apply: accepted",
  ],
  [
    "a StatefulSet whose new selector doesn't select its Pods isn't recreated without them",
    ofSet(statefulSet("{app: db, tier: data}")),
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a StatefulSet that would lose Pods by undeclared replicas isn't recreated without them",
    { ...ofSet(statefulSet("{app: db}")), live: statefulSet("{app: db}", 3) },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "a StatefulSet with fewer declared replicas can be recreated without its Pods",
    { ...ofSet(statefulSet("{app: db}", 2)), live: statefulSet("{app: db}", 3) },
    [immutable],
    "apply, apply db-qvs-preview → orphan, apply: accepted",
  ],
  [
    "another kind isn't recreated without its Pods",
    { object: configMap("{name: a, annotations: {vs.axis-dev.io/replace: orphan}}") },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "an object isn't recreated without the annotation",
    { object: configMap("{name: a}") },
    [immutable],
    "apply → apply: refused",
  ],
  [
    "fields of a client-side tool are adopted, and undeclared ones are removed",
    { live: ofKubectl },
    [accepted(ofKubectl), accepted()],
    "apply, patch → transfer-ownership, apply: accepted",
  ],
  [
    "an object that can't lose a field is rejected",
    { live: ofKubectl },
    [accepted(ofKubectl), refused("no")],
    "apply, patch → apply: refused",
  ],
  [
    "an object that can't lose an immutable field is recreated",
    { live: ofKubectl },
    [accepted(ofKubectl), immutable, accepted()],
    "apply, patch, apply a-qvs-preview → recreate, apply: accepted",
  ],
  [
    "owners in an old version are migrated after the adoption",
    { live: ofOldVersion, object: { ...object, apiVersion: "v1" } },
    [inconvertible, accepted(), accepted()],
    "apply, patch, apply a-qvs-preview → transfer-ownership, migrate-api-version, apply: its field owners are recorded in v0, and qvs rewrites them first",
  ],
  [
    "an adoption is also tried if only its own name is valid",
    { live: ofOldVersion, object: { ...object, apiVersion: "v1" } },
    [inconvertible, accepted(), refused("the name must be a"), exists],
    "apply, patch, apply a-qvs-preview, create a → transfer-ownership, migrate-api-version, apply: its field owners are recorded in v0, and qvs rewrites them first",
  ],
  [
    "owners that can't be rewritten aren't migrated",
    { live: ofOldVersion },
    [inconvertible, refused("no")],
    "apply, patch → apply: refused",
  ],
  [
    "a default that forbids a declared field is removed first",
    { object: strategy("{type: Recreate}"), live: strategy("{type: a, rollingUpdate: {}}") },
    [forbidden, accepted(), accepted()],
    "apply, patch, apply a → remove-default, apply: accepted",
  ],
  [
    "a declared default isn't removed",
    {
      object: strategy("{type: Recreate, rollingUpdate: {}}"),
      live: strategy("{type: a, rollingUpdate: {}}"),
    },
    [forbidden],
    "apply → apply: refused",
  ],
])("%s", ([, candidate, answers, expected]) => {
  expect(check(candidate, answers)).toBe(expected);
});

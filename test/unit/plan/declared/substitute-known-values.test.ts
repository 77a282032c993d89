import { expect, test } from "vitest";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import {
  createReleaseHistory,
  emptyHistory,
} from "../../../../src/model/deployments/release-history.ts";
import { at, isObject, type Json, type JsonObject, listAt } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { withSecretKind } from "../../../../src/model/plan/apply-time-reference.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { computeDesired } from "../../../../src/plan/compute-desired.ts";
import { toReleased } from "../../../../src/plan/declared/declare-objects.ts";
import { objectsToDryRun } from "../../../../src/plan/dry-runs.ts";
import { objectHistory } from "../../../../src/releases/history.ts";
import { releaseManifests } from "../../../../src/releases/select.ts";
import { diffChange } from "../../../../src/report/diff/live-diff.ts";
import { diffTextLines } from "../../../../src/report/diff/text-diff.ts";
import { recreate } from "../../../../src/ssa/steps/recreate.ts";
import { plainResult } from "../../../../src/ssa/steps/steps.ts";
import { declare, problemText, text } from "../../../support/plan/declare.ts";
import { appliedFrom } from "../../../support/plan/live.ts";
import { planOf, rulesOf, type Situation } from "../../../support/plan/plan-text.ts";
import { release } from "../../../support/plan/release-from.ts";

const web = "app/web: {apiVersion: v1, kind: Service, metadata: {name: web}}\n";

const settings = (...fields: readonly string[]) =>
  `app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {${fields.join(", ")}}, dependsOn: [web]}\n`;

const secret = (password: string) =>
  `app/web: {apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {password: ${password}}}\n`;

function changeOf(situation: Situation, name: string): Change {
  const plan = planOf(situation);
  if (!plan.ok) throw new Error(problemText(plan.problems));
  const change = plan.value.changes.find(({ id }) => id.name === name);
  if (change === undefined) throw new Error(`no change of ${name}`);
  return change;
}

/** Returns the change of `settings` as the preview shows it. */
function preview(situation: Situation): string {
  const change = changeOf(situation, "settings");
  const { certainty } = change;
  const sure = certainty.by === "unchecked" ? certainty.reason : certainty.by;
  const lines = diffTextLines(diffChange(change, undefined));
  const data = lines.filter((line) => /^[-+]\s*(url|port|both|plain|copy): /.test(line));
  return [`${change.action} (${sure})`, ...data.map((line) => line.replace(/\s+/g, " "))].join(
    "\n",
  );
}

/** Returns the Service with the given status. */
function serviceWith(status: object) {
  return new Map(
    [...appliedFrom(web)].map(([key, object]) => [key, { ...object, status } as never]),
  );
}

const reference = 'url: "http://$(ref.web.status.ip):$(ref.web.status.port)/"';

test("qvs skips the dry-run of an object without its value, and the preview marks the value as known after deploy", () => {
  expect(preview({ declared: web + settings(reference) })).toBe(
    text(`
    create (depends on a value of Service shop/web that is known after deploy)
    + url: http://(known after deploy):(known after deploy)/
    `),
  );
});

const nothing = { live: new Map(), history: objectHistory(emptyHistory) };

test("qvs sends no dry-run for an object without its values", () => {
  const desired = computeDesired(declare(web + settings(reference)), nothing, rulesOf());
  if (!desired.ok) throw new Error(problemText(desired.problems));
  const dryRuns = objectsToDryRun("shop-test", desired.value, new Map());
  expect(dryRuns.map(({ key }) => key)).toEqual(["core:Service::shop/web"]);
});

test("a live value is shown as a string if the ConfigMap needs a string", () => {
  const live = serviceWith({ ip: "10.0.0.1", port: 80 });
  expect(
    preview({ declared: web + settings(reference, 'port: "$(ref.web.status.port)"'), live }),
  ).toBe(
    text(`
    create (server)
    + port: "80"
    + url: http://10.0.0.1:80/
    `),
  );
});

test("an empty value counts as unknown", () => {
  const live = serviceWith({ ip: "", port: 80 });
  expect(preview({ declared: web + settings(reference), live })).toContain(
    "known after deploy):80/",
  );
});

test("an object with the same live values is unchanged", () => {
  const live = new Map([
    ...appliedFrom(web + settings('url: "http://10.0.0.1:80/"')),
    ...serviceWith({ ip: "10.0.0.1", port: 80 }),
  ]);
  expect(preview({ declared: web + settings(reference), live })).toBe("unchanged (comparison)");
});

test("qvs doesn't resolve references in ignored fields, and moves the other references to their new index", () => {
  const ports = (annotations: string, ...names: readonly string[]) =>
    `app/settings: {apiVersion: apps/v1, kind: Deployment, metadata: {name: settings, annotations: {${annotations}}}, spec: {template: {spec: {containers: [${names.map((name) => `{name: ${name}, image: "${name}"}`).join(", ")}]}}}, dependsOn: [web]}\n`;
  const ip = "$(ref.web.status.ip)";
  const ignoring = "vs.axis-dev.io/ignore-changes: 'metadata.annotations.a'";
  const live = new Map([
    ...appliedFrom(web + ports(`${ignoring}, a: live, b: '10.0.0.1'`, "one")),
    ...serviceWith({ ip: "10.0.0.1" }),
  ]);
  const declared = web + ports(`${ignoring}, a: '${ip}', b: '${ip}'`, "one");
  const { action, applyTimeReferences: late, desired } = changeOf({ declared, live }, "settings");
  expect([action, desired.metadata.annotations]).toEqual([
    "unchanged",
    { "vs.axis-dev.io/ignore-changes": "metadata.annotations.a", a: "live", b: "10.0.0.1" },
  ]);
  expect(late?.map(({ path }) => path)).toEqual([["metadata", "annotations", "b"]]);
});

test("a recreated object has its references and keeps the fields of other managers", () => {
  const deployment = (url: string) =>
    `app/settings: {apiVersion: apps/v1, kind: Deployment, metadata: {name: settings, annotations: {vs.axis-dev.io/replace: "true", vs.axis-dev.io/ignore-changes: spec.replicas, url: "${url}"}}, spec: {replicas: 2}, dependsOn: [web]}\n`;
  const applied = [...appliedFrom(web + deployment("10.0.0.1"))].map(
    ([key, object]) => [key, object.kind === "Deployment" ? scaledTo(5, object) : object] as const,
  );
  const live = new Map([...applied, ...serviceWith({ ip: "10.0.0.2" })]);
  const observed = { live, history: objectHistory(emptyHistory) };
  const declared = declare(web + deployment("$(ref.web.status.ip)"));
  const desired = computeDesired(declared, observed, rulesOf());
  if (!desired.ok) throw new Error(problemText(desired.problems));
  const { objects } = desired.value;
  const immutable = { reason: "FieldValueInvalid", field: "spec", message: "field is immutable" };
  const failure: ApiFailure = { reason: "invalid", status: 422, message: "", causes: [immutable] };
  const refused = plainResult({ ok: false, failure });
  const replaced = objects.flatMap((desired) => {
    const found = live.get(desired.key);
    if (found === undefined) return [];
    const { object: recreated, applyTimeReferences: late } = desired.recreated;
    const conflicts = { force: false, takeover: [] };
    const candidate = {
      deployment: "shop-test",
      ...desired,
      live: found,
      recreated,
      conflicts,
      recorded: undefined,
    };
    const requests = recreate.detect(candidate, refused)?.requests ?? [];
    return requests.map((request) => ({ late, request }));
  });
  expect(
    replaced.map(({ request, late }) => [
      "object" in request && at(request.object, "spec", "replicas"),
      "object" in request && at(request.object, "metadata", "annotations", "url"),
      late.map(({ path }) => path),
    ]),
  ).toEqual([[5, "10.0.0.2", [["metadata", "annotations", "url"]]]]);
});

/** Returns the object after an autoscaler has taken ownership of the replicas. */
function scaledTo(replicas: number, object: KubeObject): KubeObject {
  const scale = {
    manager: "kube-controller-manager",
    operation: "Update",
    subresource: "scale",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  };
  const managedFields = [
    ...listAt(object, "metadata", "managedFields").map((entry) => withoutSpec(entry)),
    scale,
  ];
  return { ...object, spec: { replicas }, metadata: { ...object.metadata, managedFields } };
}

function withoutSpec(entry: Json): Json {
  const { "f:spec": _spec, ...fieldsV1 } = at(entry, "fieldsV1") as JsonObject;
  return { ...(entry as JsonObject), fieldsV1 };
}

test("a Secret's value is hidden in any field", () => {
  const fields = [
    'url: "x:$(ref.web.stringData.password)"',
    'plain: "$(ref.web.stringData.password)"',
    "copy: written-by-hand-s3cret-new",
  ];
  const before = secret("s3cret-old") + settings('url: "x:long-forgotten"', 'copy: "a s3cret-old"');
  const declared = secret("s3cret-new") + settings(...fields);
  expect(preview({ before, declared })).toBe(
    text(`
    update (server)
    -copy: (hidden)
    +copy: (changed)
    +plain: (added)
    -url: (hidden)
    +url: (changed)
    `),
  );
  const plan = planOf({ before, declared });
  expect(plan.ok && plan.value.digest).not.toContain(":s3cret");
});

test("a Secret's value in an ignored field is hidden and not part of the digest", () => {
  const ignoring = (list: string, other: string) =>
    `app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, annotations: {vs.axis-dev.io/ignore-changes: data.list}}, data: {list: [${list}], zoo: ${other}}, dependsOn: [web]}\n`;
  const before = secret("s3cret") + ignoring("{key: forgotten}, {key: x-s3cret}", "a");
  const declared = secret("s3cret") + ignoring('{key: "$(ref.web.stringData.password)"}', "b");
  const change = changeOf({ before, declared }, "settings");
  expect(diffTextLines(diffChange(change, undefined))).toEqual([
    "@@ data @@",
    "   - key: (hidden)",
    "   - key: (hidden)",
    "-zoo: a",
    "+zoo: b",
  ]);
  const plan = planOf({ before, declared });
  expect(plan.ok && plan.value.digest).toContain('"list":[{"key":"(kept)"},{"key":"(kept)"}]');
  expect(withSecretKind(change.desired, change).kind).toBe("Secret");
});

test.each([
  ["the live value is another one", settings("url: there"), "-url: (hidden)\n+url: there"],
  ["there is no live value", settings(), "- url: (hidden)"],
])("a Secret's value from an earlier release is hidden: %s", (_, now, shown) => {
  const recorded = declare(secret("s3cret") + settings('url: "x:$(ref.web.stringData.password)"'));
  const releases = [{ ...release(1, "succeeded"), expandedConfig: toReleased(recorded) }];
  const situation = {
    before: secret("s3cret") + settings('url: "x:s3cret"', "zoo: a"),
    declared: secret("s3cret") + now,
    history: objectHistory(createReleaseHistory(releases)),
  };
  expect(preview(situation)).toBe(`update (server)\n${shown}`);
  const change = changeOf(situation, "settings");
  expect(withSecretKind(change.desired, change).kind).toBe("Secret");
});

test("a rejection that quotes a Secret's value is reported without the value", () => {
  const declared = secret("s3cret") + settings('url: "$(ref.web.stringData.password)"');
  const failure = {
    reason: "invalid" as const,
    status: 422,
    message: 'ConfigMap "settings" is invalid: data.url: Invalid value: "s3cret": no',
    causes: [
      { reason: "FieldValueInvalid", field: "data.url", message: 'Invalid value: "s3cret"' },
    ],
  };
  const answers = { "core:ConfigMap::shop/settings": { ok: false, failure } as const };
  const plan = planOf({ declared, answers });
  expect(plan.ok ? "" : problemText(plan.problems)).toBe(
    text(`
    ConfigMap shop/settings: the API server rejects data.url
      answer: the value is invalid
      → Correct the value in the adapter or in the parameter that sets it
    `),
  );
});

test("a release records the references, and qvs resolves its manifests again", () => {
  const declared = `${web}app/g/it: {apiVersion: v1, kind: Secret, metadata: {name: it}, data: {a: eA==}, stringData: {url: "$(ref.web.status.ip)/"}, dependsOn: [web]}`;
  const recorded = toReleased(declare(declared));
  const it = recorded.find(({ resource }) => resource === "g/it");
  expect(it).toMatchObject({
    references: true,
    object: { data: { a: "eA==" }, stringData: { url: "$(ref.web.status.ip)/" } },
  });
  const again = releaseManifests({ ...release(1, "succeeded"), expandedConfig: recorded });
  expect(again.map(({ isLiteral: settled }) => settled)).toEqual([undefined, true]);
  expect(isObject(recorded[1]?.object) && recorded[1].references).toBe(undefined);
});

test("a Secret gets a referenced value as Base64", () => {
  const declared = `${web}app/it: {apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {url: "$(ref.web.status.ip)/"}, dependsOn: [web]}`;
  const { desired, applyTimeReferences: late } = changeOf(
    { declared, live: serviceWith({ ip: "10.0.0.1" }) },
    "it",
  );
  expect(desired.data).toEqual({ url: btoa("10.0.0.1/") });
  expect(late?.map(({ path, base64 }) => ({ path, base64 }))).toEqual([
    { path: ["data", "url"], base64: true },
  ]);
});

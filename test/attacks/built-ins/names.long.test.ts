import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "vitest";
import { computeStatus } from "../../../src/apply/readiness/status/compute-status.ts";
import type { StatusFacts } from "../../../src/apply/readiness/status/conditions.ts";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import { parseParams } from "../../../src/config/parse-params.ts";
import { createHealthEvaluator } from "../../../src/health/evaluator.ts";
import { openCluster } from "../../../src/io/kubernetes/cluster.ts";
import { podSpecOf } from "../../../src/model/cluster/pods.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { parsePath } from "../../../src/model/fields/field-path.ts";
import { isObject, type Json, type JsonObject, sameJson } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import { setValue, valueAt } from "../../../src/model/plan/apply-time-reference.ts";
import { compareWithLive } from "../../../src/plan/changes/compare-with-live.ts";
import { isValidNewService, isValidPlainData } from "../../../src/plan/changes/plain-data.ts";
import { declareObjects } from "../../../src/plan/declared/declare-objects.ts";
import { canonicalOperations } from "../../../src/plan/digest.ts";
import { findField } from "../../../src/plan/ownership/find-field.ts";
import { showableRejection } from "../../../src/redaction/showable-rejection.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { diffChange } from "../../../src/report/diff/live-diff.ts";
import { diffTextLines, diffValues, type TextDiff } from "../../../src/report/diff/text-diff.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { pruneFields, unionFieldSets } from "../../../src/ssa/field-sets.ts";
import { declaredIndex } from "../../../src/ssa/list-items.ts";
import { existingState, preserveLiveFields } from "../../../src/ssa/preserve-live-fields.ts";
import { placement } from "../../support/plan/declare.ts";
import { applied } from "../../support/plan/live.ts";
import { release } from "../../support/plan/release-from.ts";
import { renderComment } from "../../support/report/rendered.ts";
import { connectionTo, quickPace, scriptedApi } from "../../support/servers/scripted-api.ts";
import { commentInput, planned, shopPlan, shopReport } from "../../support/shop/shop-report.ts";
import { attacks } from "../attack.ts";

/** The facts of an unchanged object between runs. */
const facts: StatusFacts = {
  now: new Date(0),
  baseline: undefined,
  binding: "unknown",
  health: createHealthEvaluator(),
};

/**
 * Properties that every object or some objects of JavaScript have, and properties that JSON and
 * promises look up.
 */
const names: readonly string[] = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...["prototype", "length", "name", "then", "toJSON", "caller", "arguments", "inspect"],
  ...[
    "Symbol(Symbol.toPrimitive)",
    "Symbol.iterator",
    "@@toStringTag",
    "nodejs.util.inspect.custom",
  ],
];

/** Returns an object like JSON.parse, with `__proto__` as an ordinary field. */
function mapOf(value: Json, all: readonly string[] = names): JsonObject {
  return Object.fromEntries(all.map((name) => [name, value]));
}

function configMap(data: JsonObject, more: JsonObject = {}): KubeObject {
  const metadata = { name: "a", namespace: "shop", labels: data, annotations: data, ...more };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

const odd = (value: Json) => configMap(mapOf(value));
const plain = configMap({});
const linesWith = (sign: string, diff: TextDiff | undefined) =>
  diffTextLines(diff).filter((line) => line.startsWith(sign));

interface Place {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

const places: readonly Place[] = [
  {
    name: "labels, annotations and data of a new object are shown, each once",
    run: () => {
      const shown = linesWith("+", diffValues(plain, odd("x")));
      for (const name of names) {
        expect(
          shown.filter((line) => line.includes(`${name}: x`) || line.includes(`${name}": x`)),
        ).toHaveLength(3);
      }
    },
  },
  {
    name: "missing fields aren't shown",
    run: () => {
      expect(diffValues(plain, plain)).toBeUndefined();
      expect(diffValues(odd("x"), odd("x"))).toBeUndefined();
      const shown = JSON.stringify([diffValues(plain, configMap({ a: "x" }))]);
      for (const name of names.slice(0, 12)) expect(shown).not.toContain(name);
    },
  },
  {
    name: "keys of a Secret are named, their values are not",
    run: () => {
      const secret = (data: JsonObject) => ({ ...configMap({}), kind: "Secret", data });
      const shown = diffValues(secret({}), secret(mapOf("aHVudGVyMg==")));
      expect(linesWith("+", shown).filter((line) => line.includes("(added)"))).toHaveLength(
        names.length,
      );
      expect(JSON.stringify(shown)).not.toContain("aHVudGVyMg");
    },
  },
  {
    name: "a stringData that is an object with its own toString and valueOf",
    run: () => {
      const stringData = { a: mapOf("hunter2") };
      const shown = diffValues(undefined, { ...configMap({}), kind: "Secret", stringData });
      expect(JSON.stringify(shown)).not.toContain("hunter2");
    },
  },
  {
    name: "every sent field is compared with the live value and its owner",
    run: () => {
      for (const name of names) {
        const desired = configMap({ [name]: "x" });
        const [declared] = declaredFrom(desired);
        if (declared === undefined) throw new Error("nothing is declared");
        const live = applied(declared);
        const manager = "qvs-shop-test-app";
        expect(compareWithLive(declared.object, live, manager)).toBe("unchanged");
        expect(compareWithLive(declared.object, { ...live, data: {} }, manager)).not.toBe(
          "unchanged",
        );
      }
    },
  },
  {
    name: "a preview with them in a plan, as a comment, text and JSON",
    run: () => {
      const change = planned("app", "constructor", odd("new"), odd("old"));
      const create = planned("app", "__proto__", odd("x"), undefined);
      for (const each of [change, create]) {
        const plan = shopPlan({ changes: [{ ...each, action: each.live ? "update" : "create" }] });
        const report = shopReport({ plan });
        expect(renderComment(commentInput(report))).toContain("ConfigMap");
        expect(renderPlanText(plan)).toContain("hasOwnProperty: ");
        expect(JSON.parse(JSON.stringify(reportJson(report)))).toMatchObject({ compared: true });
        expect(diffChange(each, undefined)).toBeDefined();
        expect(canonicalOperations("shop", plan.changes, [])).toContain("__proto__");
      }
    },
  },
  {
    name: "a release with them in objects, params, ids and its layout is read unchanged",
    run: () => {
      const given = release(7, "succeeded", { names: ["a"] });
      const layout = { ...given.layout, params: mapOf("x"), resources: names };
      const inputConfig = { ...given.inputConfig, params: mapOf(mapOf("x")) };
      const expandedConfig = names.map((resource) => ({
        ...(given.expandedConfig[0] as (typeof given.expandedConfig)[number]),
        resource,
        object: odd("x"),
        dependsOn: names,
      }));
      const [entry] = given.inventory;
      if (entry === undefined) throw new Error("nothing is in the inventory");
      // qvs rejects a complete record if one of its kinds is impossible on any API server.
      const kindOf = (name: string) => (/^[a-z]+$/i.test(name) ? name : "Widget");
      const inventory = names.map((name) => ({
        ...entry,
        id: { ...entry.id, name, kind: kindOf(name) },
      }));
      const written = { ...given, layout, inputConfig, expandedConfig, inventory };
      const compress = (text: string) => gzipSync(text);
      const secrets = encodeRelease(written, { namespace: "shop", compress });
      const read = decodeReleases("shop", secrets, (bytes) => gunzipSync(bytes).toString());
      const back = read.ok ? read.value.newest : undefined;
      expect(JSON.stringify(back?.expandedConfig)).toBe(JSON.stringify(expandedConfig));
      expect(JSON.stringify(back?.inputConfig)).toBe(JSON.stringify(inputConfig));
      const entries = back?.inventory.map((each) => JSON.stringify(each));
      for (const each of inventory) expect(entries).toContain(JSON.stringify(each));
      expect(
        objectHistory(createReleaseHistory(back === undefined ? [] : [back])).lastDeclared.size,
      ).toBe(1);
    },
  },
  {
    name: "a Secret next to the releases whose fields are objects",
    run: () => {
      const [head] = encodeRelease(release(7, "succeeded"), {
        namespace: "shop",
        compress: (text) => gzipSync(text),
      });
      for (const field of ["type", "data", "metadata"]) {
        const secret = { ...head, [field]: { ...mapOf("x"), name: "qvs.shop.v7" } } as KubeObject;
        expect(decodeReleases("shop", [secret], () => "{}")).toHaveProperty("ok");
      }
    },
  },
  {
    name: "kinds and groups are looked up only in tables that contain them",
    run: () => {
      for (const name of names) {
        const object = { ...configMap({}), kind: name, apiVersion: `${name}/v1` };
        expect(podSpecOf(object)).toBeUndefined();
        expect(computeStatus(object, facts)).toMatchObject({ state: "ready" });
        expect(computeStatus({ ...object, apiVersion: "v1" }, facts)).toMatchObject({
          state: "ready",
        });
      }
    },
  },
  {
    name: "conditions and generations that are objects or have such names",
    run: () => {
      const conditions = names.map((type) => ({
        type,
        status: "True",
        reason: type,
        message: type,
      }));
      for (const kind of ["Deployment", "StatefulSet", "Widget"]) {
        const status = { conditions, observedGeneration: mapOf("1"), replicas: mapOf(1) };
        const object = { ...configMap({}), apiVersion: "apps/v1", kind, spec: {}, status };
        const live = { ...object, metadata: { ...object.metadata, generation: 3 } };
        expect(computeStatus(live, facts)).toHaveProperty("state");
      }
    },
  },
  {
    name: "reasons of errors and of their causes",
    run: () => {
      const secret = { ...configMap({}), kind: "Secret" };
      for (const reason of names) {
        const causes = [{ reason, field: reason, message: "hunter2" }];
        const shown = showableRejection({ reason, message: "hunter2", causes }, secret);
        expect(shown.message).toBe("the API server rejected it");
        expect(shown.causes[0]?.message).toBe("the value is invalid");
      }
    },
  },
  {
    name: "managedFields of others, which lose only the fields that qvs removes",
    run: () => {
      for (const name of names) {
        const set = { "f:data": { [`f:${name}`]: {} } };
        expect(Object.keys(unionFieldSets([set, {}])["f:data"] as object)).toEqual([`f:${name}`]);
        const rest = { "f:data": { "f:a": {} } };
        const none = pruneFields(plain, { dropped: set, kept: [rest], defaults: undefined });
        expect(none).toEqual({ value: plain, removed: [] });
        const value = configMap({ [name]: "x", a: "y" });
        const pruned = pruneFields(value, { dropped: set, kept: [rest], defaults: undefined });
        expect(pruned.removed).toHaveLength(1);
        expect(JSON.stringify((pruned.value as KubeObject).data)).toBe('{"a":"y"}');
        const kept = pruneFields(value, { dropped: set, kept: [set], defaults: undefined });
        expect(kept.removed).toEqual([]);
      }
    },
  },
  {
    name: "paths of ignore-changes",
    run: () => {
      for (const name of names) {
        const path = parsePath(`data["${name}"]`);
        if (path === undefined) throw new Error(`${name} is no path`);
        const nothing = preserveLiveFields(plain, existingState(plain, "shop", "app"), [path]);
        expect(JSON.stringify(nothing.data)).toBe("{}");
        const live = configMap({ [name]: "theirs" });
        const kept = preserveLiveFields(
          configMap({ [name]: "ours" }),
          existingState(live, "shop", "app"),
          [path],
        );
        expect(JSON.stringify(kept)).not.toContain('data":{"theirs"');
      }
    },
  },
  {
    name: "paths of references, and of conflicts",
    run: () => {
      for (const name of names) {
        expect(valueAt(plain, [name])).toBeUndefined();
        expect(valueAt(plain, ["data", name, "constructor"])).toBeUndefined();
        const object = configMap({ [name]: "x" });
        expect(valueAt(object, ["data", name])).toBe("x");
        expect(JSON.stringify(setValue(object, ["data", name], "y").data)).toBe(
          JSON.stringify({ [name]: "y" }),
        );
        expect(findField(plain, `.data.${name}`).value).toBeUndefined();
        expect(findField(object, `.data.${name}`).value).toBe("x");
      }
    },
  },
  {
    name: "items of lists are distinguished by their own fields",
    run: () => {
      for (const name of names) {
        const key = `k:${JSON.stringify({ [name]: "x" })}`;
        expect(declaredIndex(key, [{}, { a: "b" }])).toBe(-1);
        expect(declaredIndex(key, [{}, { [name]: "x" }])).toBe(1);
      }
    },
  },
  {
    name: "two objects are equal only if all fields are",
    run: () => {
      for (const name of names) {
        expect(sameJson({ [name]: "x" }, { a: "x" })).toBe(false);
        expect(sameJson({ a: {} }, { [name]: {} })).toBe(false);
        expect(sameJson({ [name]: { [name]: [] } }, { [name]: { [name]: [] } })).toBe(true);
      }
    },
  },
  {
    name: "containers, variables, ports and volumes, and objects instead of strings",
    run: () => {
      const containers = names.map((name) => ({
        name,
        image: "a",
        env: [...names, mapOf("x")].map((each) => ({ name: each, value: each })),
        ports: [{ name, containerPort: mapOf(1) }],
        volumeMounts: [{ name, mountPath: mapOf("/") }],
      }));
      const spec = { template: { spec: { containers, volumes: names.map((name) => ({ name })) } } };
      const workload = { ...configMap({}), apiVersion: "apps/v1", kind: "Deployment", spec };
      const ports = [{ name: "a", port: mapOf(1), protocol: mapOf("TCP") }];
      const service = { ...configMap({}), kind: "Service", spec: { ports, selector: mapOf("x") } };
      const objects = declaredFrom(workload, service);
      expect(objects).toHaveLength(2);
      expect(JSON.stringify(objects[0]?.object.spec)).toContain("hasOwnProperty");
      expect(isValidNewService(service)).toBe(false);
    },
  },
  {
    name: "plain data with fields that its kind doesn't have",
    run: () => {
      for (const name of names) {
        expect(isValidPlainData({ ...configMap({ a: "x" }), [name]: { a: "x" } })).toBe(false);
      }
    },
  },
  {
    name: "resource ids, and dependencies on missing ids",
    run: () => {
      const ids = names.filter((name) => /^\w+$/.test(name));
      // A resource can't refer to itself.
      const next = (i: number) => ids[(i + 1) % ids.length] ?? "";
      const manifests = ids.map((id, i) => ({
        type: "manifest" as const,
        stage: "app" as const,
        id,
        object: { ...configMap({ ref: `$(ref.${next(i)}.metadata.name)` }, { name: `n${i}` }) },
        dependsOn: [next(i)],
      }));
      const declared = declareObjects(manifests, placement);
      expect(declared.ok ? [] : declared.problems.slice(0, 2)).toEqual([]);
      const found = new Map(
        (declared.ok ? declared.value : []).map((each) => [each.resource, each]),
      );
      for (const [i, id] of ids.entries()) {
        expect(found.get(id)?.object.data).toEqual({ ref: `n${(i + 1) % ids.length}` });
      }
      const nowhere = declareObjects(
        [{ ...(manifests[0] as (typeof manifests)[number]), id: "a" }],
        placement,
      );
      expect(nowhere).toMatchObject({ ok: false });
    },
  },
  {
    name: "deployments.yaml and params files",
    run: () => {
      for (const name of names) {
        const key = JSON.stringify(name);
        const params = parseParams("params.yaml", `${key}: x`);
        expect(params.ok && params.value.map((param) => param.name)).toEqual([name]);
        const entry = parseDeployments("d.yaml", `deployments: [{name: a, config: b, ${key}: x}]`);
        if (name !== "name") expect(entry.ok ? [] : entry.problems).toHaveLength(1);
        const file = parseDeployments("d.yaml", `${key}: x\ndeployments: []`);
        expect(file.ok ? [] : file.problems).toHaveLength(1);
      }
    },
  },
  {
    name: "objects, lists and errors of an API server",
    run: async () => {
      const object = { ...odd("x"), status: mapOf(mapOf("x")), ...mapOf(mapOf("x"), names) };
      const items = [odd("x"), { metadata: mapOf(mapOf("x")) }, mapOf("x"), { metadata: "x" }];
      const causes = names.map((reason) => ({ reason, field: mapOf("x"), message: mapOf("x") }));
      const refusal = {
        kind: "Status",
        code: mapOf(1),
        reason: "constructor",
        details: { causes },
      };
      const api = await scriptedApi([
        { json: object },
        { json: { metadata: { resourceVersion: "1", ...mapOf("x") }, items } },
        { status: 403, json: refusal },
        { json: { apiVersion: "v1", kind: "ConfigMap", metadata: "x" } },
      ]);
      const cluster = openCluster(connectionTo(api), quickPace());
      const address = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" };
      const read = await cluster.read(address);
      expect(read.ok && isObject(read.value) && Object.keys(read.value)).toContain("__proto__");
      const list = await cluster.list("v1", "ConfigMap", "shop");
      expect(list.ok && list.value.items.map((item) => keyOf(idOf(item)))).toEqual([
        "core:ConfigMap::shop/a",
        "core:ConfigMap::",
      ]);
      expect(await cluster.read(address)).toMatchObject({ failure: { reason: "forbidden" } });
      expect(await cluster.read(address)).toMatchObject({ ok: false });
      for (const name of names) {
        expect(await cluster.kind("v1", name)).toMatchObject({ ok: false });
      }
      cluster.close();
    },
  },
];

attacks("names of built-ins", "$name", places, async ({ run }) => {
  await run();
});

function declaredFrom(...objects: readonly KubeObject[]) {
  const declared = declareObjects(
    objects.map((object, i) => ({
      type: "manifest",
      stage: "app",
      id: `r${i}`,
      object,
      dependsOn: [],
    })),
    placement,
  );
  if (!declared.ok) throw new Error(declared.problems.map(({ what }) => what).join("\n"));
  return declared.value;
}

import { describe, expect, test } from "vitest";
import { isCrdObject } from "../../../src/apply/readiness/await-crd-served.ts";
import { computeStatus, judgeObject } from "../../../src/apply/readiness/status/compute-status.ts";
import { createHealthEvaluator } from "../../../src/health/evaluator.ts";
import { liveManifest } from "../../../src/init/live-manifest.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import { isCoreObject } from "../../../src/model/kinds.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { idOf, keyOf } from "../../../src/model/object.ts";
import { readLiveValue } from "../../../src/model/plan/apply-time-reference.ts";
import { droppedFields } from "../../../src/model/plan/dropped-fields.ts";
import { collectRecords } from "../../../src/plan/attribution/release-records.ts";
import { expansionRejection } from "../../../src/plan/changes/namespace-policy-changes.ts";
import { secretType } from "../../../src/plan/changes/plain-data.ts";
import { wrongStringData } from "../../../src/plan/declared/canonical-form.ts";
import { declareObjects } from "../../../src/plan/declared/declare-objects.ts";
import { declaredValue } from "../../../src/plan/declared/declared-value.ts";
import { implicitLinks } from "../../../src/plan/order/implicit-edges.ts";
import { ignoreChanges } from "../../../src/plan/ownership/ignore-changes.ts";
import { canServeWebhooks } from "../../../src/plan/upstream-deployments.ts";
import { resourceFinder, unknownKinds } from "../../../src/planning/permissions/api-resources.ts";
import { dependencyPermissions } from "../../../src/planning/permissions/related-object-permissions.ts";
import { isWorkload } from "../../../src/preflight/predict-deletions.ts";
import { tooLarge } from "../../../src/preflight/rules/too-large.ts";
import { declare, manifestsFrom, placement } from "../../support/plan/declare.ts";
import { requirePlan } from "../../support/plan/plan-text.ts";
import { release } from "../../support/plan/release-from.ts";
import { findingsText } from "../preflight/rules/run-rule.ts";

/** Returns an object. A custom resource can have the name of a built-in kind, as in Knative. */
const named = (apiVersion: string, kind: string, fields: object = {}) =>
  ({ apiVersion, kind, metadata: { name: "x", namespace: "shop" }, ...fields }) as KubeObject;
const both = (builtIn: string, kind: string, fields: object = {}) =>
  [named(builtIn, kind, fields), named("acme.example/v1", kind, fields)] as const;

test("a kind of the core group", () => {
  expect(both("v1", "Secret").map((each) => isCoreObject(each, "Secret"))).toEqual([true, false]);
});

describe("a custom Secret", () => {
  const secrets = both("v1", "Secret", { stringData: { a: 1, b: "x" } });

  test("can have any `stringData`", () => {
    expect(secrets.map((each) => wrongStringData(each).length)).toEqual([1, 0]);
  });

  test("has no default type", () => {
    expect(secrets.map(secretType)).toEqual(["Opaque", undefined]);
  });

  test("keeps its `stringData` in records", () => {
    const expandedConfig = secrets.map((object, index) => {
      const own = { ...object, metadata: { ...object.metadata, name: `x${index}` } };
      return { stage: "app", resource: `x${index}`, object: own, dependsOn: [] } as const;
    });
    const record = { ...release(1, "succeeded"), expandedConfig };
    const { lastDeclared } = collectRecords(createReleaseHistory([record]));
    expect([...lastDeclared.values()].map(({ object }) => "stringData" in object)).toEqual([
      false,
      true,
    ]);
  });

  test("has a live `stringData` of its own", () => {
    const live = both("v1", "Secret", { data: { b: "eA==" } });
    expect(live.map((each) => readLiveValue(each, ["stringData", "b"]))).toEqual(["x", undefined]);
  });

  test("declares `data` and `stringData` as different fields", () => {
    const values = secrets.map((object) => {
      const manifest = { type: "manifest", stage: "app", id: "x", object, dependsOn: [] } as const;
      return declaredValue(manifest, ["data", "b"]);
    });
    expect(values).toEqual(["eA==", undefined]);
  });

  test("isn't stored as decoded bytes", () => {
    const declared = `app/x: {apiVersion: acme.example/v1, kind: Secret, metadata: {name: x}, data: {a: "${"x".repeat(1_600_000)}"}}`;
    expect(findingsText(tooLarge, requirePlan({ declared }), {})).toContain("is too large");
  });
});

test("a custom Secret has the same ignored fields in the sent object", () => {
  const fields = (owner: string, value: string) => ({
    metadata: {
      ...{ name: "x", namespace: "shop" },
      annotations: { "vs.axis-dev.io/ignore-changes": "stringData.b" },
      managedFields: [
        {
          ...{ manager: owner, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
          fieldsV1: { "f:stringData": { "f:b": {} } },
        },
      ],
    },
    stringData: { b: value },
  });
  const declared = named("acme.example/v1", "Secret", fields("qvs", "declared"));
  const live = named("acme.example/v1", "Secret", fields("someone", "live"));
  const [id, key] = [idOf(declared), keyOf(idOf(declared))];
  const common = { id, key, stage: "app", resource: "x", dependsOn: [], references: [] } as const;
  const objects = [{ ...common, object: declared, revision: undefined }];
  const owner = { deployment: "shop", namespace: "shop" };
  const ignored = ignoreChanges(owner, objects, new Map([[key, live]]));
  expect(ignored.ok && ignored.value.objects.map(({ object }) => object["stringData"])).toEqual([
    undefined,
  ]);
});

test("a custom Secret can lose fields", () => {
  const lost = both("v1", "Secret", { extra: { a: "x" } }).map((desired) => {
    const { extra: _, ...predicted } = desired;
    return droppedFields({ certainty: { by: "server" }, desired, predicted } as never).length;
  });
  expect(lost).toEqual([0, 1]);
});

test("a declared custom Secret isn't the Secret that Pods need", () => {
  const spec = { containers: [{ name: "a", envFrom: [{ secretRef: { name: "x" } }] }] };
  const pod = named("v1", "Pod", { spec });
  const needed = both("v1", "Secret").map((secret) => {
    const objects = [pod, secret].map((object) => ({ id: idOf(object), object }));
    const findResource = resourceFinder([], []);
    return dependencyPermissions({ objects, findResource } as never)
      .filter(({ resource }) => resource === "secrets")
      .map(({ name }) => name);
  });
  expect(needed).toEqual([[], ["x"]]);
});

test("a custom CustomResourceDefinition orders nothing and sets no scope", () => {
  const declared = (version: string, kind: string) => `
appSetup/crd:
  apiVersion: ${version}
  kind: CustomResourceDefinition
  metadata: {name: x}
  spec: {group: shop.example, scope: Cluster, names: {kind: ${kind}}, versions: [{name: v1, storage: true}]}
app/one: {apiVersion: shop.example/v1, kind: ${kind}, metadata: {name: one}}
`;
  const versions = ["apiextensions.k8s.io/v1", "acme.example/v1"];
  const links = versions.map((version) => implicitLinks(declare(declared(version, "Cup"))).length);
  expect(links).toEqual([1, 0]);
  // The cluster doesn't serve the kind `Unknown`.
  const known = versions.map(
    (version) => declareObjects(manifestsFrom(declared(version, "Unknown")), placement).ok,
  );
  expect(known).toEqual([true, false]);
});

test("a custom CustomResourceDefinition defines no kind", () => {
  const spec = { group: "shop.example", scope: "Cluster", names: { kind: "Cup", plural: "cups" } };
  const definitions = both("apiextensions.k8s.io/v1", "CustomResourceDefinition", { spec });
  expect(definitions.map(isCrdObject)).toEqual([true, false]);
  const unknown = definitions.map((definition) =>
    unknownKinds(
      [definition, named("shop.example/v1", "Cup")].map((object, index) => {
        return { type: "manifest", stage: "app", id: `x${index}`, object, dependsOn: [] } as const;
      }),
    ).map(({ kind }) => kind),
  );
  expect(unknown).toEqual([[], ["CustomResourceDefinition", "Cup"]]);
});

test("a custom workload or Service serves no Pods", () => {
  const deployments = both("apps/v1", "Deployment");
  expect(deployments.map(isWorkload)).toEqual([true, false]);
  expect(deployments.map((each) => canServeWebhooks(idOf(each)))).toEqual([true, false]);
  const services = both("v1", "Service");
  expect(services.map((each) => canServeWebhooks(idOf(each)))).toEqual([true, false]);
});

test("a custom PersistentVolumeClaim can grow", () => {
  const classes = () =>
    [{ before: undefined, after: { ...named("storage.k8s.io/v1", "StorageClass") } }] as const;
  const size = (storage: string) => ({ spec: { resources: { requests: { storage } } } });
  const rejections = ["v1", "acme.example/v1"].map((version) => {
    const [live, predicted] = ["1Gi", "2Gi"].map((each) =>
      named(version, "PersistentVolumeClaim", size(each)),
    );
    const verdict = {
      steps: [{ type: "apply" }],
      predicted,
      certainty: { by: "server" },
    } as const;
    return expansionRejection(predicted as KubeObject, live, verdict as never, classes);
  });
  expect(rejections.map((each) => each === undefined)).toEqual([false, true]);
});

test("the live manifest of a custom Service or Job has all its fields", () => {
  const service = { spec: { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] } };
  const kept = both("v1", "Service", service).map((each) => liveManifest(each)["spec"] ?? {});
  expect(kept.map((spec) => "clusterIP" in (spec as object))).toEqual([false, true]);
  const job = { spec: { selector: { matchLabels: { a: "b" } }, template: {} } };
  const jobs = both("batch/v1", "Job", job).map((each) => liveManifest(each)["spec"] ?? {});
  expect(jobs.map((spec) => "selector" in (spec as object))).toEqual([false, true]);
});

test("a custom Job that is suspended is suspended like other custom resources", () => {
  const facts = { now: new Date(0), baseline: undefined, binding: "at once" } as const;
  const health = createHealthEvaluator();
  const status = (kind: string) => {
    const fields = { spec: { suspend: true }, status: { phase: "Pending" } };
    const object = named("acme.example/v1", kind, fields);
    return computeStatus(object, { ...facts, health, suspends: true });
  };
  expect(status("Job")).toEqual(status("Task"));
  expect(judgeObject(named("acme.example/v1", "Job"), health, new Date(0)).rule).toBe("general");
});

import { expect, test } from "vitest";
import { parse } from "yaml";
import { builtinVersions, readBuiltinKinds } from "../../../src/io/builtin-kinds/read.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  createTypeLookup,
  findField,
  findKind,
  linkKindTypes,
} from "../../../src/validation/kind-types.ts";
import { schemaViolations } from "../../../src/validation/schema-violations.ts";
import { knownVersions } from "../../support/known-versions.ts";

const kinds = linkKindTypes(readBuiltinKinds());

test.each([
  {
    name: "a misspelled field, but not the required field that it should have been",
    manifest: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a},
      spec: {scaleTargetReff: {kind: Deployment, name: a}, maxReplicas: 3}}`,
    found: ["unknown spec.scaleTargetReff scaleTargetRef"],
  },
  {
    name: "a misspelled field without suggesting an existing one",
    manifest: `{apiVersion: v1, kind: Service, spec: {ports: [{port: 1, prot: TCP}]}}`,
    found: ["unknown spec.ports.0.prot -"],
  },
  {
    name: "names that every JavaScript object inherits",
    manifest: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, constructor: {}, data: {toString: "1", __proto__: a}}`,
    found: ["unknown constructor -"],
  },
  {
    name: "wrong types, each with the expected type",
    manifest: `{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 1.5, paused: 1,
      selector: [], template: {spec: {hostNetwork: "true", containers: [{name: 1, args: a}]}}}}`,
    found: [
      "type spec.replicas number integer",
      "unknown spec.paused -",
      "type spec.selector list object",
      "type spec.template.spec.hostNetwork text boolean",
      "type spec.template.spec.containers.0.name integer text",
      "type spec.template.spec.containers.0.args text list",
    ],
  },
  {
    name: "missing required fields, including null",
    manifest: `{apiVersion: batch/v1, kind: CronJob, spec: {schedule: null, jobTemplate: {spec: {}}}}`,
    found: ["missing spec.jobTemplate.spec.template", "missing spec.schedule"],
  },
])("finds $name", ({ manifest, found }) => {
  expect(misfits(manifest)).toEqual(found);
});

test.each([
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {any/thing: a}, creationTimestamp: null}, data: null}`,
  `{apiVersion: apps/v1, kind: Deployment, spec: {selector: {}, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: "25%"}},
    template: {spec: {containers: [{name: a, resources: {limits: {cpu: 2, memory: 1Gi, acme.example/gpu: 0.5}},
    livenessProbe: {httpGet: {port: http, httpHeaders: [{name: a}]}}}]}}}, status: {anything: [1]}}`,
  `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a, scope: Cluster, names: {kind: A, plural: as},
    versions: [{name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true,
    properties: {a: {items: {default: {free: form}, enum: [1, a]}, additionalProperties: false}}}}}]}}`,
  `{apiVersion: apps/v1, kind: ControllerRevision, data: {any: [thing]}}`,
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {kind: Role, name: a}}`,
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 50%}}`,
  `{apiVersion: v1, kind: Service, spec: {ports: [{port: LATER, targetPort: LATER}], selector: LATER}}`,
])("accepts a manifest that the API server accepts: %s", (manifest) => {
  expect(misfits(manifest)).toEqual([]);
});

test("a custom resource can have the fields of its CustomResourceDefinition, of every object, and of open objects", () => {
  const schema = `{type: object, required: [spec, status], properties: {spec: {type: object, required: [a, b],
    properties: {a: {type: integer}, b: {type: string, default: x}, any: {}, n: {type: number},
      port: {type: string, x-kubernetes-int-or-string: true}, object: {type: object},
      open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: boolean}}},
      list: {type: array, items: {type: object, properties: {c: {type: string}}}},
      embedded: {type: object, x-kubernetes-embedded-resource: true, properties: {}}}}}}`;
  const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.example,
    names: {kind: A}, versions: [{name: v0}, {name: v1, schema: {openAPIV3Schema: ${schema}}}]}}`;
  const custom = (version: string, spec: string) =>
    misfits(`{apiVersion: a.example/${version}, kind: A, metadata: {lables: {}}, spec: ${spec}}`, [
      definition,
    ]);
  expect(
    custom(
      "v1",
      `{any: [1], n: 1, port: 80, object: {x: 1}, open: {x: 1, known: "no"}, list: [{c: a}, {d: a}], embedded: {kind: B}}`,
    ),
  ).toEqual([
    "unknown metadata.lables labels",
    "type spec.open.known text boolean",
    "unknown spec.list.1.d c",
    "missing spec.embedded.apiVersion",
    "missing spec.a",
  ]);
  expect(() => custom("v0", "{}")).toThrow("not known");
});

function misfits(manifest: string, definitions: readonly string[] = []): readonly string[] {
  const object = parse(manifest) as JsonObject;
  const typeOf = createTypeLookup(
    kinds,
    definitions.map((each) => parse(each) as JsonObject),
  );
  const known = typeOf(String(object["apiVersion"]), String(object["kind"]));
  if (known === undefined) throw new Error("not known");
  return schemaViolations(object, known.type, (value) => value === "LATER").map((misfit) => {
    const { misfit: what, path } = misfit;
    const words = { unknown: "", type: "", missing: "" };
    if (misfit.misfit === "unknown") words.unknown = ` ${misfit.suggestion ?? "-"}`;
    if (misfit.misfit === "type") words.type = ` ${misfit.found} ${misfit.expected}`;
    return `${what} ${path.join(".")}${words[what]}`;
  });
}

test("the kinds of each supported version are packed", { tags: "slow" }, () => {
  expect(builtinVersions).toEqual(["1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]);
  for (const version of builtinVersions) {
    const { builtin, ...types } = knownVersions.types(version);
    expect(types.version).toBe(version);
    expect(builtin.has("apps/v1/Deployment")).toBe(true);
  }
  expect(readBuiltinKinds()).toEqual(readBuiltinKinds("1.36"));
});

const autoscaler = "autoscaling/v2/HorizontalPodAutoscaler";
const tolerance = ["spec", "behavior", "scaleUp", "tolerance"];

test.each([
  [autoscaler, tolerance, "since Kubernetes 1.33"],
  ["v1/Pod", ["spec", "containers", "0", "image"], "since Kubernetes 1.32"],
  ["v1/Pod", ["spec", "containers", "0", "imagge"], undefined],
  ["v1/Pods", ["spec"], undefined],
])("the field of %s at %j exists %s", (key, path, text) => {
  expect(findField(key, path, knownVersions)).toBe(text);
});

test.each([
  ["resource.k8s.io/v1/ResourceClaim", "since Kubernetes 1.34"],
  ["apps/v1beta1/Deployment", undefined],
])("the kind %s exists %s", (key, text) => {
  expect(findKind(key, knownVersions)).toBe(text);
});

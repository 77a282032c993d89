import { expect, test } from "vitest";
import { parse } from "yaml";
import { linkKindTypes } from "../../../../src/compile/schema/kind-types.ts";
import { findKind } from "../../../../src/compile/schema/known-versions.ts";
import { builtinVersions, readBuiltinKinds } from "../../../../src/io/builtin-kinds/read.ts";
import { isBuiltInGroup } from "../../../../src/model/cluster/built-in-groups.ts";
import {
  fieldVersions,
  introducedKinds,
  kindVersions,
} from "../../../../src/model/cluster/introductions.ts";
import type { KubeObject } from "../../../../src/model/object.ts";

const known = {
  names: builtinVersions,
  types: (version: string) => linkKindTypes(readBuiltinKinds(version)),
};
/** The groups of requests that no manifest declares. */
const requests = /^(authentication|authorization|internal\.apiserver)\.k8s\.io\//;

test("the groups of all packed kinds count as built in", () => {
  const groups = builtinVersions.flatMap((version) =>
    [...known.types(version).builtin.keys()].filter(
      (key) => key.split("/").length === 3 && !requests.test(key),
    ),
  );
  expect(groups.filter((key) => !isBuiltInGroup(key.split("/")[0] ?? ""))).toEqual([]);
});

const server = { major: 1, minor: 32 };

test("the versions of the kinds are those of the packed schemas", () => {
  for (const [key, text] of introducedKinds) expect(findKind(key, known), key).toBe(text);
});

test("a kind that the server lacks is shown with its versions and that of the server", () => {
  expect(kindVersions("storage.k8s.io/v1", "VolumeAttributesClass", server)).toBe(
    "since Kubernetes 1.34; this server is 1.32",
  );
  expect(kindVersions("storage.k8s.io/v1", "VolumeAttributesClass", undefined)).toBe(
    "since Kubernetes 1.34",
  );
  expect(kindVersions("example.com/v1", "VolumeAttributesClass", server)).toBeUndefined();
});

const object = (apiVersion: string, kind: string, spec: string): KubeObject => ({
  ...{ apiVersion, kind, metadata: { name: "a" } },
  spec: parse(spec),
});
const scaler = object("autoscaling/v2", "HorizontalPodAutoscaler", "{}");
const web = object("apps/v1", "Deployment", "{template: {spec: {containers: []}}}");

test.each([
  [scaler, "spec.behavior.scaleUp.tolerance", "since Kubernetes 1.33; this server is 1.32"],
  [
    web,
    'spec.template.spec.containers[name="web"].restartPolicyRules',
    "since Kubernetes 1.34; this server is 1.32",
  ],
  [web, "spec.template.spec.hostUsers", undefined],
  [web, "spec.replica", undefined],
])("the versions of a field of %j at %s are %s", (owner, path, text) => {
  expect(fieldVersions(owner, path, server)).toBe(text);
});

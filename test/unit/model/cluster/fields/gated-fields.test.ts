import { expect, test } from "vitest";
import { parse } from "yaml";
import { builtinVersions } from "../../../../../src/io/builtin-kinds/read.ts";
import { isBuiltInGroup } from "../../../../../src/model/cluster/api/built-in-groups.ts";
import { fieldVersions } from "../../../../../src/model/cluster/fields/gated-fields.ts";
import type { KubeObject } from "../../../../../src/model/object.ts";
import { knownVersions } from "../../../../support/known-versions.ts";

/** The groups of requests that no manifest declares. */
const requests = /^(authentication|authorization|internal\.apiserver)\.k8s\.io\//;

test("the groups of all packed kinds count as built in", () => {
  const groups = builtinVersions.flatMap((version) =>
    [...knownVersions.types(version).builtin.keys()].filter(
      (key) => key.split("/").length === 3 && !requests.test(key),
    ),
  );
  expect(groups.filter((key) => !isBuiltInGroup(key.split("/")[0] ?? ""))).toEqual([]);
});

const server = { major: 1, minor: 32 };

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

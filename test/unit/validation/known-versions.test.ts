import { expect, test } from "vitest";
import { builtinVersions, readBuiltinKinds } from "../../../src/io/builtin-kinds/read.ts";
import { findField, findKind } from "../../../src/validation/known-versions.ts";
import { knownVersions } from "../../support/known-versions.ts";

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

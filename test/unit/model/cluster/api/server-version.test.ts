import { expect, test } from "vitest";
import {
  formatServerVersion,
  hasBehavior,
  readServerVersion,
  versionFacts,
} from "../../../../../src/model/cluster/api/server-version.ts";
import { withoutUnstoredFields } from "../../../../../src/model/cluster/fields/unstored-fields.ts";
import { at } from "../../../../../src/model/json.ts";

const read = (answer: Parameters<typeof readServerVersion>[0]) => {
  const version = readServerVersion(answer);
  return version && formatServerVersion(version);
};

test.each([
  [{ major: "1", minor: "36", gitVersion: "v1.36.4" }, "1.36"],
  [{ major: "1", minor: "32+", gitVersion: "v1.32.9-eks-3025e55" }, "1.32"],
  [{ major: "1", minor: "34", gitVersion: "v1.34.1-gke.1829001" }, "1.34"],
  [{ major: "1", minor: "33+" }, "1.33"],
  [{ gitVersion: "v1.35.0+k3s1" }, "1.35"],
  [{ gitVersion: "unknown" }, undefined],
  ["ok", undefined],
  [undefined, undefined],
])("the version in %j is %s", (answer, version) => {
  expect(read(answer)).toBe(version);
});

test("each behavior differs between supported versions and names its source", () => {
  const supported = [32, 33, 34, 35, 36, 37];
  for (const name of Object.keys(versionFacts) as readonly (keyof typeof versionFacts)[]) {
    const answers = supported.map((minor) => hasBehavior(name, { major: 1, minor }));
    expect(new Set(answers).size, name).toBe(2);
    expect(versionFacts[name].source).toMatch(/\S in \S/);
  }
});

const set = {
  ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db" } },
  spec: {
    updateStrategy: { rollingUpdate: { maxUnavailable: 2, partition: 1 } },
    template: { spec: { resources: { requests: { cpu: "4000" } }, containers: [] } },
  },
};

test.each([
  [32, undefined, undefined],
  [34, undefined, set.spec.template.spec.resources],
  [37, 2, set.spec.template.spec.resources],
])("Kubernetes 1.%s stores only the fields that it knows", (minor, unavailable, resources) => {
  const { spec } = withoutUnstoredFields(set, { major: 1, minor });
  const rolling = at(spec, "updateStrategy", "rollingUpdate");
  expect(at(rolling, "maxUnavailable")).toBe(unavailable);
  expect(at(rolling, "partition")).toBe(1);
  expect(at(spec, "template", "spec", "resources")).toEqual(resources);
});

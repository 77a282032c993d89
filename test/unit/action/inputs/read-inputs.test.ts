import { expect, onTestFinished, test, vi } from "vitest";
import { readInputs } from "../../../../src/action/inputs/read-inputs.ts";
import { UserError } from "../../../../src/model/problems/errors.ts";
import { shopDeployment } from "../../../support/shop/shop-report.ts";

function given(inputs: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(inputs))
    vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return readInputs();
}

test.each([
  ["", undefined],
  [".", undefined],
  ["services/shop", "services/shop"],
  ["./services/shop/", "services/shop"],
])("the working directory %j is %j", (folder, expected) => {
  expect(given({ "working-directory": folder }).folder).toBe(expected);
});

test.each(["/etc", "../shop", "services/../../shop"])(
  "a working directory outside the repository is rejected: %s",
  (folder) => {
    expect(() => given({ "working-directory": folder })).toThrow(UserError);
  },
);

test.each([
  ["", undefined],
  ["v1.37.2", "1.37"],
])("the version %j to check against is %j", (version, expected) => {
  expect(given({ "against-version": version }).againstVersion).toBe(expected);
});

test("an unknown version to check against is rejected with the known ones", () => {
  expect(() => given({ "against-version": "1.40" })).toThrow(
    /Write 1\.32, 1\.33, 1\.34, 1\.35, 1\.36 or 1\.37/,
  );
});

test("configs and params are relative to the working directory", () => {
  const { adjusted, choose } = given({
    "working-directory": "services",
    config: "*/.valuestream/qvs.yaml",
    params: "params/common.yaml",
  });
  const inside = shopDeployment({ config: "services/shop/.valuestream/qvs.yaml", params: [] });
  const outside = shopDeployment({ name: "b", config: "other/.valuestream/qvs.yaml" });
  expect(adjusted(inside).params).toEqual(["services/params/common.yaml"]);
  expect(choose([inside, outside])).toEqual([inside]);
});

test("deployments are named one per line or as a JSON list", () => {
  const all = ["a", "b", "c"].map((name) => shopDeployment({ name }));
  const chosen = (deployment: string) =>
    given({ deployment })
      .choose(all)
      .map(({ name }) => name);
  expect(chosen("a\nc")).toEqual(["a", "c"]);
  expect(chosen('[\n  "a",\n  "b"\n]')).toEqual(["a", "b"]);
  expect(chosen(" \r\n")).toEqual(["a", "b", "c"]);
  // The list of another job can be empty.
  expect(chosen("[]")).toEqual([]);
  expect(() => given({ deployment: "[a" })).toThrow(UserError);
  expect(() => given({ expected: '{"a":1}' })).toThrow(UserError);
});

test.each([
  ["lines", "a\nb"],
  ["lines with Windows line ends", "a\r\n\r\nb\r\n"],
  ["blank lines between", "\n  a\n   \n\n  b\n"],
])("several values are written one per line: %s", (_, text) => {
  const all = ["a", "b"].map((name) => shopDeployment({ name, config: name, params: [] }));
  const inputs = given({
    config: text,
    deployment: text,
    params: text,
    param: text.replaceAll(/[ab]/g, "$&=1"),
    takeover: text,
  });
  expect(inputs.inline).toEqual(["a=1", "b=1"]);
  expect(inputs.request.policy.conflicts.takeover).toEqual(["a", "b"]);
  expect(inputs.choose(all)).toEqual(all);
  expect(all.map((each) => inputs.adjusted(each).params)).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
});

function optionsWith(allowOutsideNamespace: string) {
  vi.stubEnv("INPUT_ALLOW-OUTSIDE-NAMESPACE", allowOutsideNamespace);
  onTestFinished(() => void vi.unstubAllEnvs());
  return readInputs().request;
}

test.for([
  { given: "", allowed: false },
  { given: "false", allowed: false },
  { given: "true", allowed: true },
])(
  "allow-outside-namespace is needed for objects outside the namespace: $given",
  ({ given, allowed }) => {
    expect(optionsWith(given).allowOutsideNamespace).toBe(allowed);
  },
);

test("a value that isn't a boolean is rejected", () => {
  expect(() => optionsWith("yes")).toThrow(UserError);
});

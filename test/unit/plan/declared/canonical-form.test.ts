import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withCanonicalData } from "../../../../src/plan/declared/canonical-form.ts";
import { planOf, planText } from "../../../support/plan/plan-text.ts";

describe("withCanonicalData encodes bytes as the API server does", () => {
  test.each([
    [
      "a Secret's Base64 with line ends",
      '{kind: Secret, data: {a: "aGVs\\r\\nbG8=\\n"}}',
      "{a: aGVsbG8=}",
    ],
    ["unused bits", "{kind: Secret, data: {a: QR==}}", "{a: QQ==}"],
    ["no bytes", '{kind: Secret, data: {a: ""}}', '{a: ""}'],
    ["canonical data", "{kind: Secret, data: {a: aGVsbG8=}}", "{a: aGVsbG8=}"],
    [
      "missing padding is left for the API server to reject",
      "{kind: Secret, data: {a: aGVsbG8}}",
      "{a: aGVsbG8}",
    ],
    ["a space is left too", '{kind: Secret, data: {a: "aGVs bG8="}}', '{a: "aGVs bG8="}'],
    ["a number is left too", "{kind: Secret, data: {a: 1234}}", "{a: 1234}"],
    [
      "stringData wins over data",
      "{kind: Secret, data: {a: QQ==, b: QQ==}, stringData: {b: hé}}",
      "{a: QQ==, b: aMOp}",
    ],
    ["a ConfigMap's strings stay", '{kind: ConfigMap, data: {a: "QR==\\n"}}', '{a: "QR==\\n"}'],
  ])("%s", (_name, object, data) => {
    const sent = withCanonicalData({ apiVersion: "v1", metadata: {}, ...parse(object) });
    expect(sent.data).toEqual(parse(data));
    expect(sent).not.toHaveProperty("stringData");
  });

  test("the bytes of a ConfigMap are encoded too", () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {},
      binaryData: { a: "QR==\n" },
    };
    expect(withCanonicalData(object).binaryData).toEqual({ a: "QQ==" });
  });

  test("a Secret of another API group isn't changed", () => {
    const object = {
      apiVersion: "acme.example/v1",
      kind: "Secret",
      metadata: {},
      data: { a: "QR==" },
    };
    expect(withCanonicalData(object)).toEqual(object);
  });
});

test("a Secret with differently encoded bytes is unchanged without a dry-run", () => {
  const before = "app/a: {apiVersion: v1, kind: Secret, metadata: {name: a}, data: {a: aGVsbG8=}}";
  const plan = planOf({ before, declared: before.replace("aGVsbG8=", '"aGVs\\nbG8=\\n"') });
  expect(planText(plan)).toBe("unchanged Secret shop/a (app, comparison)");
});

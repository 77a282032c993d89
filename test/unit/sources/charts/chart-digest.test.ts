import { expect, test } from "vitest";
import type { Json } from "../../../../src/model/json.ts";
import type { RenderedChart } from "../../../../src/ports/render.ts";
import { chartDigest } from "../../../../src/sources/charts/chart-digest.ts";

const hook: RenderedChart["hooks"][number] = {
  template: "web/templates/sql.yaml",
  text: "{apiVersion: v1, kind: ConfigMap, metadata: {name: sql}, data: {a: create}}",
  kind: "ConfigMap",
  name: "sql",
  ...{ events: ["pre-install"], weight: 0, deletePolicies: [] },
};

const template = "web/templates/a.yaml";

/** Returns the digest of a chart with one document. */
function digest(
  text: string,
  { hidden = [], ...more }: Partial<RenderedChart> & { hidden?: readonly Json[] } = {},
): string {
  return chartDigest({ manifests: [{ template, text }], crds: [], hooks: [], ...more }, hidden);
}

const settings = (value: string, more = "") =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {mode: "${value}"${more}}}`;

const secret = (value: string) =>
  `{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {b: "${value}"}, stringData: {c: "${value}"}}`;

test("a changed field changes the digest, and the order of fields doesn't", () => {
  expect(digest(settings("x", ", z: '1'"))).not.toBe(digest(settings("y", ", z: '1'")));
  expect(digest("{kind: A, b: 1, c: {d: 1, e: 2}}")).toBe(
    digest("c: {e: 2, d: 1}\n# A comment.\nb: 1\nkind: A"),
  );
});

test("a changed hook changes the digest, and a changed test doesn't", () => {
  const changed = { ...hook, text: hook.text.replace("create", "alter") };
  expect(digest("", { hooks: [hook] })).not.toBe(digest("", { hooks: [changed] }));
  const asTest = (text: string) => ({ ...hook, text, events: ["test"] as const });
  expect(digest("", { hooks: [asTest(hook.text)] })).toBe(
    digest("", { hooks: [asTest(changed.text)] }),
  );
});

test("a field that differs with each rendering isn't part of the digest", () => {
  const differences = [{ template, kind: "ConfigMap", name: "a", path: ["data", "mode"] }];
  expect(digest(settings("x"), { differences })).toBe(digest(settings("y"), { differences }));
  expect(digest(settings("x", ", z: '1'"), { differences })).not.toBe(
    digest(settings("x", ", z: '2'"), { differences }),
  );
});

test("a list item that differs doesn't hide the other items", () => {
  const differences = [{ template, kind: "A", name: "", path: ["list", "0"] }];
  expect(digest("{kind: A, list: [1, 2]}", { differences })).toBe(
    digest("{kind: A, list: [7, 2]}", { differences }),
  );
  expect(digest("{kind: A, list: [1, 2]}", { differences })).not.toBe(
    digest("{kind: A, list: [1, 3]}", { differences }),
  );
});

test("the data of Secrets isn't part of the digest, also in a List", () => {
  const list = (value: string) => `{apiVersion: v1, kind: List, items: [${secret(value)}]}`;
  expect(digest(secret("x"))).toBe(digest(secret("y")));
  expect(digest(list("x"))).toBe(digest(list("y")));
  expect(digest(secret("x"))).not.toBe(digest(secret("x").replace("name: a", "name: b")));
});

test("a field with a hidden value isn't part of the digest", () => {
  const hidden: readonly Json[] = ["correct-horse"];
  const other: readonly Json[] = ["battery-staple"];
  expect(digest(settings("url correct-horse"), { hidden })).toBe(
    digest(settings("url battery-staple"), { hidden: other }),
  );
  const encoded = (text: string) => settings(Buffer.from(text).toString("base64"));
  expect(digest(encoded("correct-horse"), { hidden })).toBe(
    digest(encoded("battery-staple"), { hidden: other }),
  );
});

test("a short hidden value hides only fields that equal it", () => {
  expect(digest("{kind: A, b: 17}", { hidden: [17] })).toBe(
    digest("{kind: A, b: 18}", { hidden: [18] }),
  );
  expect(digest("{kind: A, b: web-17}", { hidden: [17] })).not.toBe(
    digest("{kind: A, b: api-17}", { hidden: [17] }),
  );
});

test.each(["Secrets", "secret"])(
  "data of the misspelt kind %s isn't part of the digest",
  (kind) => {
    const misspelt = (value: string) => secret(value).replace("kind: Secret", `kind: ${kind}`);
    expect(digest(misspelt("eA=="))).toBe(digest(misspelt("eQ==")));
  },
);

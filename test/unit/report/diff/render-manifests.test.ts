import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Compilation } from "../../../../src/model/sources/compilation.ts";
import { renderManifests } from "../../../../src/report/diff/render-manifests.ts";
import { toYaml } from "../../../../src/report/text/yaml.ts";
import { shopCompilation } from "../../../support/shop/shop-report.ts";

const shop = shopCompilation("1.5.0", "308a0d0c4c", "debug");

test("each document has its stage and id above it, in deploy order", () => {
  const text = renderManifests(shop, ["app/web", "appSetup/config"]);
  expect(text.match(/^# .*/gm)).toEqual(["# app/web", "# appSetup/config", "# app/service"]);
  expect(parseAllDocuments(text).map((document) => document.toJS())).toHaveLength(3);
});

test("without an order, documents are sorted by stage, then by id", () => {
  expect(renderManifests(shop).match(/^# .*/gm)).toEqual([
    "# appSetup/config",
    "# app/service",
    "# app/web",
  ]);
});

test("a resource that isn't applied is marked, and its id can't end the comment", () => {
  const foreign: Compilation = {
    ...shop,
    resources: [
      {
        type: "foreign",
        stage: "app",
        id: "a\nkind: Secret",
        provider: "kubernetes-helm",
        content: { chart: "c" },
      },
    ],
  };
  expect(renderManifests(foreign)).toBe(
    "---\n# app/a kind: Secret (kubernetes-helm, not applied)\nchart: c\n",
  );
});

test("keys are in a fixed order: important ones first, then alphabetically", () => {
  const object = {
    spec: { b: 1, a: 2 },
    zeta: 1,
    metadata: { namespace: "shop", labels: {}, name: "x" },
    kind: "K",
    apiVersion: "v1",
  };
  expect(toYaml(object)).toBe(`apiVersion: v1
kind: K
metadata:
  name: x
  namespace: shop
  labels: {}
spec:
  a: 2
  b: 1
zeta: 1
`);
});

test("a string that kubectl would read as another type is quoted", () => {
  const values = ["yes", "off", "0123", "1:30", "1e3", "null", "~", "plain"];
  expect(toYaml(values)).toBe(
    `- "yes"\n- "off"\n- "0123"\n- "1:30"\n- "1e3"\n- "null"\n- "~"\n- plain\n`,
  );
});

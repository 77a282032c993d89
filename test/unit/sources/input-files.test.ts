import { expect, test } from "vitest";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { failed } from "../../../src/model/problems/problem.ts";
import type { ConfigSource } from "../../../src/ports/world.ts";
import { firstRound } from "../../../src/sources/charts/settle-capabilities.ts";
import { readInputFiles } from "../../../src/sources/input-files.ts";
import { must } from "../config/result-text.ts";

test.each([
  ["an empty file", "", ['empty-input: "a.yaml" contains no objects']],
  [
    "a file with only a comment",
    "# web: removed\n---\n",
    ['empty-input: "a.yaml" contains no objects'],
  ],
  ["an empty List", "{kind: List, items: []}", ['empty-input: "a.yaml" contains no objects']],
  ["an object", "kind: ConfigMap\nmetadata: {name: a}\napiVersion: v1\n", []],
])("a notice names an entry without objects: %s", async (_, text, expected) => {
  const entries = "[{manifests: a.yaml}, {manifests: b.yaml}]";
  const config = must(parseConfig("q.yaml", `designPatterns: ${entries}`));
  const tree = { read: async (path: string) => (path === "a.yaml" ? text : object) };
  const capabilities = firstRound();
  const binding = { config, given: [], deployment: "shop", namespace: "shop", capabilities };
  const read = must(
    await readInputFiles({ tree } as never, config, [["a.yaml"], ["b.yaml"]], binding),
  );
  expect(read.notices.map(({ code, what }) => `${code}: ${what}`)).toEqual(expected);
});

const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";

test("charts are read and rendered one after the other", async () => {
  const steps: string[] = [];
  const source = {
    tree: {
      list: async () => ["a/Chart.yaml", "b/Chart.yaml"],
      linkedPaths: async (path: string) => [path],
      omitted: async () => [],
      trackedByLfs: async () => [],
      read: async () => undefined,
      readBytes: async (path: string) => {
        steps.push(`read ${path}`);
        return new Uint8Array();
      },
    },
    compiler: {
      renderChart: async ({ helm }: { helm: { chart: string } }) => {
        steps.push(`render ${helm.chart}`);
        return failed([]);
      },
    },
  } as unknown as ConfigSource;
  const charts = ["a", "b"].map((name) => `{helm: {chart: ${name}, release: web}}`);
  const config = must(parseConfig("q.yaml", `designPatterns: [${charts.join(", ")}]`));
  const capabilities = firstRound();
  const binding = { config, given: [], deployment: "shop", namespace: "shop", capabilities };
  await readInputFiles(source, config, [[], []], binding);
  expect(steps).toEqual(["read a/Chart.yaml", "render a", "read b/Chart.yaml", "render b"]);
});

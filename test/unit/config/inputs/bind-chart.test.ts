import { expect, test } from "vitest";
import { bindChart } from "../../../../src/config/inputs/bind-chart.ts";
import type { ParsedChart } from "../../../../src/config/inputs/parsed-input.ts";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import { parseInlineParams, parseParams } from "../../../../src/config/parse-params.ts";
import { lines, must, resultText } from "../result-text.ts";

const declared =
  "params: [{name: version, type: string}, {name: count, type: int}, {name: token, type: string}]";

/** Binds a chart with one values file. */
function bind(entry: string, text = "", inline: readonly string[] = []) {
  const config = must(
    parseConfig("q.yaml", `${declared}\ndesignPatterns:\n  - helm: {chart: web, ${entry}}`),
  );
  const [chart] = config.fileEntries as readonly ParsedChart[];
  if (chart === undefined) throw new Error("The config has no chart");
  const values = must(parseParams("params.yaml", 'version: "1.10"\ncount: 3'));
  const given = [...values, ...must(parseInlineParams(inline))];
  return bindChart(chart, [{ name: "values.yaml", text }], { config, given, namespace: "staging" });
}

function bound(...given: Parameters<typeof bind>): string {
  return resultText(bind(...given), ({ params: _, ...rest }) => JSON.stringify(rest));
}

test("without other keys, the namespace is that of the deployment", () => {
  expect(bound("release: web", "a: 1 # as written\n")).toBe(
    '{"release":"web","namespace":"staging","values":[{"name":"values.yaml","text":"a: 1 # as written\\n"}],"set":[],"secretParams":[]}',
  );
});

test("references in all parts of an entry take parameters", () => {
  const entry =
    "release: web-$(params.version), namespace: ns-$(params.count), kubeVersion: v$(params.version), apiVersions: ['a/v$(params.count)'], set: {image.tag: $(params.version), n: $(params.count), off: null}";
  expect(bound(entry, "count: $(params.count)\nlist: [a]\n")).toBe(
    '{"release":"web-1.10","namespace":"ns-3","values":[{"name":"values.yaml","text":"{\\"count\\":3,\\"list\\":[\\"a\\"]}"}],"set":[{"path":"image.tag","value":"1.10"},{"path":"n","value":3},{"path":"off","value":null}],"kubeVersion":"v1.10","apiVersions":["a/v3"],"secretParams":[]}',
  );
});

test("all documents of a values file with a reference are kept", () => {
  const result = bind("release: web", "a: $(params.count)\n---\n# nothing\n---\nb: 2\n");
  expect(result.ok && result.value.values[0]?.text).toBe('{"a":3}\n---\nnull\n---\n{"b":2}');
});

test.each([
  ["set: {db.password: $(params.version)}", "", "version"],
  ["set: {a: 1}", "auth: {password: $(params.version)}", "version"],
  ["set: {value: $(params.token)}", "", "token"],
])("a parameter is a secret by the name of its value or by its own name: %s", (set, text, name) => {
  const result = bind(`release: web, ${set}`, text, ["token=abc"]);
  expect(result.ok && result.value.secretParams).toEqual([name]);
});

test.each([
  [
    "release: [a]",
    lines`
      q.yaml:3:33: "release" isn't a non-empty string
        → Set "release" to a name
          or remove "release"`,
  ],
  [
    "release: web, apiVersions: a/v1",
    lines`
      q.yaml:3:51: "apiVersions" isn't a list of strings
        → Write [monitoring.coreos.com/v1], or [apps/v1/Deployment] for a kind`,
  ],
  [
    "release: web, set: {a: $(params.verson)}",
    lines`
      q.yaml:3:47: Parameter "verson" isn't declared
        → Did you mean "$(params.version)"?
          or declare "verson" under params
          or write $$(params.verson) for the literal string`,
  ],
])("an invalid part is an error where it is written: %s", (entry, expected) => {
  expect(bound(entry)).toBe(expected);
});

test.each([
  ["helm: {release: web}", "missing-key"],
  ["helm: {chart: web}", "missing-key"],
  ["helm: {chart: web, release: web, version: 1.0.0}", "invalid-chart-source"],
  ["helm: {chart: web, release: web}, values: [a.yaml]", "unknown-key"],
  ["helm: {chart: 'oci://a.example/web', release: web}", "missing-key"],
  ["helm: {chart: 'https://a.example/web.tgz', release: web}", "invalid-chart-source"],
  ["helm: {chart: web, release: web, values: [../a.yaml]}", "path-outside-repository"],
])("an entry with a wrong key or path is an error: %s", (entry, code) => {
  const parsed = parseConfig("q.yaml", `designPatterns: [{${entry}}]`);
  expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.code)).toEqual([code]);
});

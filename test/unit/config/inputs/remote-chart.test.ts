import { expect, test } from "vitest";
import type { ParsedChart } from "../../../../src/config/inputs/parsed-input.ts";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import { resultText } from "../result-text.ts";

/** Returns the source of a chart, or the first line of each problem. */
function source(entry: string): string {
  const parsed = parseConfig("q.yaml", `designPatterns: [{helm: {release: a, ${entry}}}]`);
  return resultText(parsed, ({ fileEntries }) => {
    const [chart] = fileEntries as readonly ParsedChart[];
    return `${JSON.stringify(chart?.remote)} as ${chart?.path}`;
  })
    .split("\n")
    .filter((line) => line.startsWith("q.yaml") || line.startsWith("{"))
    .join("\n");
}

test.each([
  ["chart: oci://registry.example/charts/web", "web-6.9.0.tgz"],
  ["chart: oci://localhost:5000/web", "web-6.9.0.tgz"],
  ["chart: web, repo: https://charts.example/stable/", "web-6.9.0.tgz"],
  ["chart: web, repo: http://127.0.0.1:8080", "web-6.9.0.tgz"],
])("a chart of a registry or a Helm repository: %s", (entry, path) => {
  expect(source(`${entry}, version: 6.9.0`)).toMatch(new RegExp(`^{"chart".* as ${path}$`));
});

test.each([
  ["chart: oci://registry.example", '"oci://registry.example" isn\'t the address of a chart'],
  ["chart: oci://registry.example/Web", "isn't the address of a chart"],
  ["chart: 'oci://registry.example/web:1.0.0'", "isn't the address of a chart"],
  ["chart: oci://registry.example/../web", "isn't the address of a chart"],
  ["chart: oci://registry.example/a%2fb", "isn't the address of a chart"],
  ["chart: 'oci://registry.example/web?a=1'", "isn't the address of a chart"],
  ["chart: oci://u:p@registry.example/web", "The address oci://registry.example/web contains"],
  ["chart: web, repo: http://charts.example", "isn't the address of a Helm repository"],
  ["chart: web, repo: 'file:///etc'", "isn't the address of a Helm repository"],
  ["chart: web, repo: oci://registry.example", "isn't the address of a Helm repository"],
  ["chart: web, repo: https://u:p@charts.example", "The address https://charts.example contains"],
  ["chart: web, repo: 'https://charts.example?a=1'", "isn't the address of a Helm repository"],
  ["chart: web, repo: 'https:u:p@charts.example'", "The address https://charts.example contains"],
  [
    "chart: web, repo: 'https:///u:p@charts.example'",
    "The address https://charts.example contains",
  ],
  ["chart: web, repo: 'HTTPS://u:p@charts.example'", "The address HTTPS://charts.example contains"],
  [
    "chart: web, repo: 'https://u:p@q@charts.example'",
    "The address https://charts.example contains",
  ],
  ["chart: 'oci://registry.example:99999/web'", "isn't the address of a chart"],
  ["chart: oci://256.1.1.1/web", "isn't the address of a chart"],
  ["chart: ../web, repo: https://charts.example", "isn't the name of a chart"],
  [
    "chart: oci://registry.example/web, repo: https://charts.example",
    "isn't allowed next to the chart",
  ],
  ["chart: https://charts.example/web.tgz", "isn't a path, and isn't an oci:// address"],
])("another address is an error: %s", (entry, expected) => {
  const text = source(`${entry}, version: 6.9.0`);
  expect(text).toContain(expected);
  expect(text.split("\n")).toHaveLength(1);
  expect(text).not.toContain("u:p");
});

test.each([
  "^6.9.0",
  "6.x",
  "'6.9'",
  ">=6.9.0",
  "latest",
  "$(params.version)",
  "../../x",
  "6.9.0/..",
])("a version must be exact: %s", (version) => {
  expect(source(`chart: oci://registry.example/web, version: "${version}"`)).toContain(
    "isn't an exact version",
  );
});

test.each(["6.9.0", "v6.9.0", "6.9.0-rc.1+build.5"])("%s is exact", (version) => {
  expect(source(`chart: oci://registry.example/web, version: ${version}`)).toContain(version);
});

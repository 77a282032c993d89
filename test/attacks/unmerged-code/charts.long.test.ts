import { describe, expect, test } from "vitest";
import type { ParsedChart } from "../../../src/config/inputs/parsed-input.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { commitTree } from "../../../src/io/git/commit-tree.ts";
import { openRepository } from "../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../src/io/git/work-tree.ts";
import type { ConfigSource } from "../../../src/ports/world.ts";
import { readChartFiles, readValuesFiles } from "../../../src/sources/charts/chart-files.ts";
import { environment, GitFixture } from "../../support/git/git-fixture.ts";
import { archive } from "../../support/packed-chart.ts";
import { chartRequest, openRenderer, renderEngines } from "../../support/render/engines.ts";
import { must, resultText } from "../../unit/config/result-text.ts";

/** Reads a chart and its values, in the working tree and at the commit. */
async function read(entry: string): Promise<string> {
  const git = new GitFixture();
  git.write("charts/web/Chart.yaml", "name: web");
  git.write("charts/linked/Chart.yaml", "name: linked");
  git.write("charts/nested/Chart.yaml", "name: nested");
  git.write("shared/a.yaml", "a: 1");
  git.write("values.yaml", "a: 1");
  git.link("charts/linked/templates/secret.yaml", "/etc/hostname");
  git.link("charts/nested/templates", "../../shared");
  git.link("charts/away", "..");
  git.link("charts/out", "../..");
  git.link("host.tgz", "/etc/hostname");
  git.link("host.yaml", "/etc/hostname");
  git.commit();
  const config = parseConfig("a/q.yaml", `designPatterns: [{helm: {release: a, ${entry}}}]`);
  if (!config.ok) return resultText(config, String);
  const [chart] = must(config).fileEntries as readonly ParsedChart[];
  const opened = await openRepository(git.directory, environment);
  if (opened === undefined || chart === undefined) throw new Error("There is no chart.");
  const head = await opened.resolve("HEAD");
  const trees = [openWorkTree(git.directory), commitTree(opened, head ?? "")];
  const found = await Promise.all(
    trees.map(async (tree) => {
      const files = await readChartFiles({ ...source, tree }, chart, "a/q.yaml");
      const values = await readValuesFiles(tree, chart);
      return [
        resultText(files, ({ paths }) => paths.join(" ")),
        resultText(values, (texts) => texts.map(({ text }) => text).join(" ")),
      ]
        .filter((text) => text !== "")
        .map((text) => text.split("\n")[0]?.replace("The link ", ""));
    }),
  );
  expect(found[1]).toEqual(found[0]);
  return (found[0] ?? []).join("\n");
}

test.each([
  ["../../charts/web", 'a/q.yaml:1:45: Path "../../charts/web" leads outside the repository'],
  ["/etc", 'a/q.yaml:1:45: Path "/etc" leads outside the repository'],
  ["../charts/out", 'a/q.yaml:1:45: "charts/out" leads outside the repository'],
  ["../host.tgz", 'a/q.yaml:1:45: "host.tgz" leads outside the repository'],
  [
    "../charts/linked",
    'a/q.yaml:1:45: "charts/linked/templates/secret.yaml" leads outside the repository',
  ],
  ["../charts/nested", 'a/q.yaml:1:45: "charts/nested/templates" is a link to a directory'],
  ["../.git", 'a/q.yaml:1:45: Chart "../.git" doesn\'t exist'],
])("a chart reads no file outside of the repository: %s", async (chart, expected) => {
  expect((await read(`chart: ${chart}`)).split("\n")[0]).toBe(expected);
});

test.each([
  ["../../values.yaml", 'Path "../../values.yaml" leads outside the repository'],
  ["../host.yaml", '"host.yaml" leads outside the repository'],
])("a values file isn't read outside of the repository: %s", async (values, expected) => {
  expect(await read(`chart: ../charts/web, values: [${values}]`)).toContain(expected);
});

test.each([
  [
    "oci://registry.example/web",
    "version: 1.0.0",
    `Chart oci://registry.example/web at "1.0.0" isn't locked`,
  ],
  [
    "web",
    "version: 1.0.0, repo: https://charts.example",
    `Chart web of https://charts.example at "1.0.0" isn't locked`,
  ],
  ["https://charts.example/web.tgz", "", "isn't a path, and isn't an oci:// address"],
])("a chart at another host that isn't locked isn't fetched: %s", async (chart, more, expected) => {
  expect(await read(`chart: "${chart}", ${more}`)).toContain(expected);
});

/** Fails at every request to a host. */
const source = {
  charts: {
    fetch: () => Promise.reject(new Error("A chart was fetched")),
    versions: () => Promise.reject(new Error("Versions were listed")),
  },
} as unknown as ConfigSource;

describe.each(renderEngines)("the $kind render engine", (engine) => {
  const renderer = openRenderer(engine);

  test.each([
    ["at its root", "web/../../secret.yaml"],
    ["below a directory", "web/templates/../../../secret.yaml"],
  ])("a packed chart with an entry that leads out of it is an error: %s", (_, name) => {
    const packed = archive([
      ["web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"],
      [name, "a: 1"],
    ]);
    const files = {
      in: "memory",
      files: new Map(),
      embedded: new Map([["a.tgz", packed]]),
    } as const;
    const { result } = renderer.renderHelm({ ...chartRequest(""), files, chart: "a.tgz" });
    expect(result).toMatchObject({ ok: false, problems: [{ code: "invalid" }] });
  });
});

import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { flatChart, openAdapterPlace } from "../../support/qvs/adapter-place.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const openPlace = (adapter: string) => openAdapterPlace(compiler, adapter);
const chartIf = (condition: string) => `{
	parameters: on: _
	resources: app: {if ${condition} {${flatChart.replace("resources: app:", "")}}}
}`;

test("the charts of a config that isn't listed are locked", async () => {
  const place = await openPlace(flatChart);
  await place.qvs("lock");
  const before = place.lock;
  place.app.write(".valuestream/deployments.yaml", "deployments: []\n");
  expect(await place.qvs("lock")).not.toContain("- web");
  expect(place.lock).toBe(before);
});

test("a rejected property keeps the entries of the lockfile", async () => {
  const place = await openPlace(flatChart);
  await place.qvs("lock");
  const before = place.lock;
  place.adapter(flatChart.replace("values:", "verify: true\nvalues:"));
  expect(await place.qvs("lock")).toContain("verify isn't supported");
  expect(place.lock).toBe(before);
});

test("the charts of a module behind a link are locked", async () => {
  const place = await openPlace(flatChart);
  renameSync(join(place.app.directory, "adapters"), join(place.app.directory, "real"));
  symlinkSync("real", join(place.app.directory, "adapters"));
  expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
});

test("the charts of a directory behind a link in a module are locked", async () => {
  const place = await openPlace(flatChart);
  const adapters = join(place.app.directory, "adapters");
  renameSync(join(adapters, "web"), join(place.app.directory, "other"));
  symlinkSync("../other", join(adapters, "web"));
  place.app.write("adapters/plain/main.cue", "package plain\n");
  const locked = await place.qvs("lock");
  // The compiler decides if it follows the link. If it doesn't, no entry is lost.
  expect(locked).toMatch(/\+ web of|charts-unknown/);
});

test("a chart whose name or version depends on a placeholder isn't locked or fetched", async () => {
  const place = await openPlace(`{
	parameters: {kind: string, version: string, repo: string}
	resources: app: {
		fixed: {provider: "kubernetes-helm", chart: "web", version: "1.1.0", fetchOpts: repo: "REPO"}
		kind: {provider: "kubernetes-helm", chart: parameters.kind, version: "1.0.0", fetchOpts: repo: "REPO"}
		version: {provider: "kubernetes-helm", chart: "web", version: "1.0.\\(parameters.version)", fetchOpts: repo: "REPO"}
		repo: {provider: "kubernetes-helm", chart: "web", version: "1.0.0", fetchOpts: repo: "https://\\(parameters.repo)/x"}
	}
}`);
  const names = ["kind", "version", "repo"];
  place.config(
    JSON.stringify(names.map((name) => ({ name, type: "string" }))),
    `{${names.map((name) => `${name}: $(params.${name})`).join(", ")}}`,
  );
  place.registry.seen.splice(0);
  const locked = await place.qvs("lock");
  expect(locked).toMatch(/^0\n/);
  expect(locked).toContain(
    "warning[charts-unknown]: The charts of adapters in deployment shop depend on parameters",
  );
  expect(locked).toContain("+ web of http://HOST 1.1.0");
  expect(place.lock.match(/version/g)).toHaveLength(2);
  expect(place.registry.seen.join("\n")).not.toMatch(/\/[12]-/);
});

test("a chart that a parameter of the command line turns on keeps its entry", async () => {
  const place = await openPlace(flatChart);
  await place.qvs("lock");
  const before = place.lock;
  place.adapter(chartIf("parameters.on"));
  place.config("[{name: on, type: bool}]", "{on: $(params.on)}");
  expect(await place.qvs("lock")).toContain("depend on parameters");
  expect(place.lock).toBe(before);
});

test.each([
  ["a string", "string", 'parameters.on == "prod"'],
  ["a list", "array", "len(parameters.on) > 0"],
])(
  "a chart that depends on %s of the command line keeps its entry",
  async (_title, type, condition) => {
    const place = await openPlace(flatChart);
    await place.qvs("lock");
    const before = place.lock;
    place.adapter(chartIf(condition));
    place.config(`[{name: on, type: ${type}}]`, "{on: $(params.on)}");
    const locked = await place.qvs("lock");
    expect(locked).toContain("warning[charts-unknown]");
    expect(locked).toContain("charts: web of http://HOST 1.0.0");
    expect(place.lock).toBe(before);
    expect(await place.qvs("lock", "--check")).toMatch(/^0\n/);
  },
);

describe("after an update of a chart, a deployment with a parameter of the command line", () => {
  const image =
    'ns: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "n", data: tag: parameters.on}';
  const withChart = (version: string, more = "") => `{
	parameters: on: _
	resources: app: {
		${image}
		web: {provider: "kubernetes-helm", chart: "web", version: ${version}, releaseName: "main", fetchOpts: repo: "REPO"}
		${more}
	}
}`;

  async function update(before: string, after: string, type = "string"): Promise<string> {
    const place = await openPlace(before);
    place.config(`[{name: on, type: ${type}}]`, "{on: $(params.on)}");
    expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
    place.adapter(after);
    const locked = await place.qvs("lock");
    expect(await place.qvs("lock", "--check")).toContain("is up to date");
    return locked;
  }

  test("keeps no entry that it can't use", async () => {
    expect(await update(withChart('"1.0.0"'), withChart('"1.1.0"'))).toBe(`0
Wrote .valuestream/qvs.lock
  - web of http://HOST 1.0.0: no longer used
  + web of http://HOST 1.1.0: DIGEST_OF_1.1.0
`);
  });

  test("keeps no entry although another chart has the placeholder as a value", async () => {
    const hidden = `if parameters.on == "prod" {other: {provider: "kubernetes-helm", chart: "web", version: "1.1.0", fetchOpts: repo: "REPO"}}`;
    expect(await update(withChart('"1.0.0"'), withChart('"1.1.0"', hidden))).toContain(
      "- web of http://HOST 1.0.0",
    );
  });

  test.each([
    [
      "its files contain it",
      withChart(
        '"1.1.0"',
        'if parameters.on == "prod" {old: {provider: "kubernetes-helm", chart: "web", version: "1.0.0", fetchOpts: repo: "REPO"}}',
      ),
      "string",
    ],
    [
      "an adapter computes a version",
      withChart(
        '"1.1.0"',
        'if parameters.on == "prod" {old: {provider: "kubernetes-helm", chart: "web", version: "1.\\(parameters.on).0", fetchOpts: repo: "REPO"}}',
      ),
      "string",
    ],
    [
      "an adapter takes a version from a value",
      withChart(
        '"1.1.0"',
        'if parameters.on == "prod" {old: {provider: "kubernetes-helm", chart: "web", version: parameters.on, fetchOpts: repo: "REPO"}}',
      ),
      "string",
    ],
    ["the command line sets an object", withChart('"1.1.0"'), "object"],
  ])("keeps an entry if %s", async (_title, after, type) => {
    const before =
      type === "object" ? withChart('"1.0.0"').replace(image, "") : withChart('"1.0.0"');
    const now =
      type === "object"
        ? after.replace(
            image,
            'ns: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "n", data: parameters.on}',
          )
        : after;
    const locked = await update(before, now, type);
    expect(locked).toContain("charts: web of http://HOST 1.0.0");
    expect(locked).not.toContain("no longer used");
  });
});

test("a deployment that compiles with only one placeholder has a notice", async () => {
  const place = await openPlace(`{
	parameters: on: "1"
	${flatChart.replace("resources: app: web:", 'resources: app: "no-chart":').replace('provider: "kubernetes-helm"', 'provider: "other" // kubernetes-helm')}
}`);
  place.config("[{name: on, type: string}]", "{on: $(params.on)}");
  expect(await place.qvs("lock")).toContain(
    "warning[charts-unknown]: The charts of adapters in deployment shop aren't known",
  );
});

test("the charts of a list in another directory are locked", async () => {
  const place = await openPlace(chartIf("parameters.on"));
  place.config("[{name: on, type: bool}]", "{on: $(params.on)}");
  place.app.write(".valuestream/off.yaml", "on: false\n");
  place.app.write(
    ".valuestream/deployments.yaml",
    "deployments: [{name: shop, config: qvs.yaml, namespace: shop, params: [off.yaml]}]\n",
  );
  place.app.write("prod/.valuestream/on.yaml", "on: true\n");
  const list =
    "deployments: [{name: prod, config: ../../.valuestream/qvs.yaml, namespace: prod, params: [on.yaml]}]\n";
  place.app.write("prod/.valuestream/deployments.yaml", list);
  expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
  place.app.write("prod/.valuestream/deployments.yaml", "deployments: {}\n");
  const before = place.lock;
  expect(await place.qvs("lock")).toContain("warning[charts-unknown]");
  expect(place.lock).toBe(before);
});

test("the charts of preview environments are locked", async () => {
  const place = await openPlace(chartIf("parameters.on"));
  place.config("[{name: on, type: bool}]", "{on: $(params.on)}");
  place.app.write(".valuestream/off.yaml", "on: false\n");
  place.app.write(
    ".valuestream/deployments.yaml",
    "deployments: [{name: shop, config: qvs.yaml, namespace: shop, params: [off.yaml], " +
      'preview: {namespace: "shop-pr-${number}", params: {on: true}}}]\n',
  );
  expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
  expect(await place.qvs("lock", "--check")).toContain("is up to date");
});

test("a chart of the config that rejects a placeholder doesn't block the lockfile", async () => {
  const place = await openPlace(flatChart);
  place.app.write(".valuestream/own/Chart.yaml", "apiVersion: v2\nname: own\nversion: 1.0.0\n");
  place.app.write(".valuestream/own/templates/a.yaml", '{{ fail "a size is needed" }}\n');
  place.app.write(".valuestream/v.yaml", "size: $(params.size)\n");
  place.app.write(
    ".valuestream/qvs.yaml",
    `params: [{name: size, type: string}]
modules: [{name: a.example, local: {path: ../adapters}}]
designPatterns: [{pattern: a.example/web, params: {}}, {helm: {chart: own, release: own, values: [v.yaml]}}]
`,
  );
  expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
});

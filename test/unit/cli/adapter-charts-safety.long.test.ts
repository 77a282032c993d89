import { afterAll, expect, test } from "vitest";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { diffCompilations, manifestTextDiff } from "../../../src/report/diff/manifest-diff.ts";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { packedChart } from "../../support/packed-chart.ts";
import { flatChart, openAdapterPlace } from "../../support/qvs/adapter-place.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { sourceOf } from "../compile/specification.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const openPlace = (adapter: string) => openAdapterPlace(compiler, adapter);

function chart(name: string, template: string): Buffer {
  return packedChart(name, {
    "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    "templates/a.yaml": template,
  });
}

test("an object of a chart with the id of another chart is an error", async () => {
  const place = await openPlace(`resources: app: {
	"redis/main": {provider: "kubernetes-helm", chart: "operator", version: "1.0.0", fetchOpts: repo: "REPO"}
	shop: {provider: "kubernetes-helm", chart: "shop", version: "1.0.0", fetchOpts: repo: "REPO"}
}`);
  const operator = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: operator}\n";
  const shop = "kind: Redis\napiVersion: a.example/v1\nmetadata: {name: main}\n";
  place.registry.push("operator", "1.0.0", chart("operator", operator));
  place.registry.push("shop", "1.0.0", chart("shop", shop));
  await place.qvs("lock");
  expect(await place.qvs("compile")).toMatch(
    /^1\nerror\[duplicate-object\]: Resource app\/redis\/main of an adapter has the id of an object/,
  );
});

test("a chart that takes a value which another chart sets is an error", async () => {
  const own = (color: string) => `{
	${flatChart}
	resources: app: {
		"configmap/shop/main": {
			apiVersion: "v1", kind: "ConfigMap", metadata: {name: "main", namespace: "shop"}
			data: color: ${color}
		}
		second: {
			provider: "kubernetes-helm"
			chart: "web", version: "1.0.0", releaseName: "second"
			fetchOpts: repo: "REPO"
			values: color: "$(ref.configmap/shop/main.data.color)"
		}
	}
}`;
  const place = await openPlace(own('*"red" | string'));
  await place.qvs("lock");
  expect(await place.qvs("compile")).toMatch(
    /^1\nerror\[unsupported-chart-property\]: Resource app\/second depends on values that charts set/,
  );
  place.adapter(own('"blue"'));
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n/);
  expect(compiled).not.toContain("red");
});

test("an object of a chart with the id of a resource of Pulumi is an error", async () => {
  const place = await openPlace(`{
	${flatChart}
	resources: app: "configmap/shop/main": {provider: "pulumi-yaml", type: "gcp:a:B"}
}`);
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("error[duplicate-object]");
});

const withSecret = (extra: string) => `{
	parameters: x: string
	resources: app: web: {
		provider: "kubernetes-helm"
		chart: "web", version: "1.0.0", releaseName: "main"
		fetchOpts: repo: "REPO"
		values: {password: parameters.x, color: "https://u:\\(parameters.x)@h"}
		${extra}
	}
}`;

test.each([
  ["isn't locked", ""],
  ["has a rejected property", `"option-\\(parameters.x)": 1`],
  ["has a rejected source", `"chart": "web", keyring: "k-\\(parameters.x)"`],
])("a message about a chart that %s shows no secret", async (_title, extra) => {
  const place = await openPlace(withSecret(extra));
  place.config("[{name: db, type: string}]", "{x: $(params.db)}");
  const { stderr } = await place.run("compile", "--param", "db=hunter2-secret");
  expect(stderr).toContain("warning[");
  expect(stderr).not.toContain("hunter2");
});

test.each(["", '"unknown": 1'])(
  "the diff of a chart without objects shows no secret",
  async (extra) => {
    const wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
    const rule = {
      name: "",
      declare: { db: "string" },
      use: "designPatterns: [{pattern: spec.example/it, params: {x: $(params.db)}}]",
      adapters: { it: `DesignPattern: ${withSecret(extra).replace("REPO", "https://c.example")}` },
      expected: "",
    };
    const source = sourceOf(rule, wasm);
    const args = ["db=hunter2-secret"];
    const compiled = await compileDeployment(source, plainDeployment(), args, "deploy");
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
    const { compilation, input } = compiled.value;
    expect(input.secret).toEqual(["db"]);
    const diffs = diffCompilations(undefined, compilation).map(manifestTextDiff);
    expect(JSON.stringify(diffs)).toContain("+values: (hidden)");
    expect(JSON.stringify(diffs)).not.toContain("hunter2");
  },
);

test.each([
  ["of base64", "base64.Encode(null, parameters.x)"],
  ["in JSON in base64", "base64.Encode(null, json.Marshal({a: parameters.x}))"],
  ["in JSON", "json.Marshal({a: parameters.x})"],
  ["in hexadecimal digits", "hex.Encode(parameters.x)"],
])("a chart that isn't locked doesn't show a secret %s", async (_title, encoded) => {
  const place = await openPlace("{}");
  place.app.write(
    "adapters/web/main.cue",
    `package web
import ("encoding/base64", "encoding/hex", "encoding/json")
_packages: [base64.Encode(null, "a"), hex.Encode("a"), json.Marshal(1)]
DesignPattern: {
	parameters: x: string
	resources: app: web: {
		provider: "kubernetes-helm"
		chart: "web", version: "1.0.0"
		fetchOpts: repo: "https://c.example"
		description: ${encoded}
		values: {color: ${encoded}, list: ["(${encoded})"]}
	}
}`,
  );
  place.config("[{name: db, type: string}]", "{x: $(params.db)}");
  const secret = 'hunter"2-secret';
  const output = await place.qvs("compile", "--param", `db=${secret}`);
  expect(output).toContain("values: (hidden)");
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const json = JSON.stringify({ a: secret });
  const hex = Buffer.from(secret).toString("hex");
  for (const form of [secret, base64(secret), json, base64(json), hex, "hunter"])
    expect(output).not.toContain(form);
});

test("an error of a chart doesn't hide that another one isn't locked", async () => {
  const failing = flatChart.replace('values: color: "blue"', 'values: message: "broken"');
  const place = await openPlace(failing);
  await place.qvs("lock");
  const other = flatChart.replace("app: web:", "app: other:").replace("1.0.0", "1.1.0");
  place.adapter(`{${failing}, ${other}}`);
  const output = await place.qvs("compile");
  expect(output).toMatch(/^1\n/);
  expect(output).toContain("broken");
  expect(output).toContain("error[lock-file-outdated]");
});

test("an error that only a chart causes is shown with the problem of the chart", async () => {
  const place = await openPlace(`{
	${flatChart}
	resources: app: after: {
		apiVersion: "v1", kind: "ConfigMap", metadata: name: "after"
		data: color: "$(ref.configmap/shop/main.data.color)"
	}
}`);
  expect(await place.qvs("compile")).toMatch(
    /^1\nerror\[lock-file-outdated\][\s\S]*\nerror\[reference-not-found\]/,
  );
  await place.qvs("lock");
  expect(await place.qvs("compile")).toMatch(/^0\n/);
});

test("a check fails while a chart isn't locked", async () => {
  const place = await openPlace(flatChart);
  expect(await place.qvs("compile", "--check")).toMatch(/^1\nerror\[lock-file-outdated\]/);
  await place.qvs("lock");
  expect(await place.qvs("compile", "--check")).toMatch(/^0\n/);
});

test("an addition to an object of a chart that isn't locked is shown with the chart", async () => {
  const place = await openPlace(`{
	${flatChart}
	resources: app: "secret/main-login": stringData: other: "hidden-value"
}`);
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n/);
  expect(compiled).toContain("# app/secret/main-login (kubernetes, not applied)\n{}\n");
  expect(compiled).toContain("warning[lock-file-outdated]");
  expect(compiled).toContain(
    "warning[invalid-object]: Resource app/secret/main-login lacks apiVersion, kind, metadata.name\n",
  );
  expect(compiled).not.toContain("hidden-value");
  await place.qvs("lock");
  expect(await place.qvs("compile")).not.toContain("not applied");
});

test("a chart sees the APIs that its adapter defines", async () => {
  const place = await openPlace(`resources: app: {
	crd: {
		apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition"
		metadata: name: "things.a.example"
		spec: {
			group: "a.example", scope: "Namespaced", names: {kind: "Thing", plural: "things"}
			versions: [{name: "v1", served: true, storage: true, schema: openAPIV3Schema: type: "object"}]
		}
	}
	web: {provider: "kubernetes-helm", chart: "shop", version: "1.0.0", fetchOpts: repo: "REPO"}
}`);
  const template = `{{ if not (.Capabilities.APIVersions.Has "a.example/v1") }}{{ fail "absent" }}{{ end }}
kind: ConfigMap\napiVersion: v1\nmetadata: {name: seen}\n`;
  place.registry.push("shop", "1.0.0", chart("shop", template));
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("# app/configmap/seen\n");
});

test("the random values of a chart don't depend on other charts", async () => {
  const one = (id: string, extra = "") =>
    `resources: app: ${id}: {provider: "kubernetes-helm", chart: "shop", version: "1.0.0"${extra}, fetchOpts: repo: "REPO"}`;
  const template =
    'kind: ConfigMap\napiVersion: v1\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {a: "{{ randAlphaNum 9 }}"}\n';
  const place = await openPlace(one("b"));
  place.registry.push("shop", "1.0.0", chart("shop", template));
  await place.qvs("lock");
  const value = async () =>
    /^# app\/configmap\/b\n[\s\S]*? a: (\S+)/m.exec(await place.qvs("compile"))?.[1];
  const before = await value();
  place.adapter(`{${one("a")}, ${one("b")}}`);
  expect(before).toHaveLength(9);
  expect(await value()).toBe(before);
});

test("the layout lists the objects of a chart and not the chart", async () => {
  const place = await openPlace(flatChart);
  await place.qvs("lock");
  const { layout } = JSON.parse((await place.run("compile", "--format", "json")).stdout);
  expect(JSON.stringify(layout)).toContain("app/configmap/shop/main");
  expect(JSON.stringify(layout)).not.toContain("app/web");
});

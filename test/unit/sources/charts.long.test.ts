import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Result } from "../../../src/model/problems/problem.ts";
import {
  type CompiledDeployment,
  compileDeployment,
} from "../../../src/sources/compile-deployment.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";
import { lines, resultText } from "../config/result-text.ts";

const openShop = useWorlds();

const files = {
  ".valuestream/qvs.yaml": `params: [{name: version, type: string}]
designPatterns:
  - helm:
      chart: ../charts/shop
      release: shop
      values: [../values.yaml]
      set: {image.tag: $(params.version)}
`,
  ".valuestream/params.yaml": 'version: "1.10"\n',
  "values.yaml": "replicas: 2\n",
  "charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
  "charts/shop/values.yaml": "replicas: 1\nimage: {name: web}\n",
  "charts/shop/templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}-web"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "{{ .Values.image.name }}:{{ .Values.image.tag }}"}]}
`,
};

const shop = {
  name: "shop",
  config: ".valuestream/qvs.yaml",
  params: [".valuestream/params.yaml"],
  namespace: "staging",
  dependsOn: [],
  environment: undefined,
  context: undefined,
};

/** Compiles the chart with some other files. */
async function compile(
  others: Readonly<Record<string, string>> = {},
  inline: readonly string[] = [],
): Promise<Result<CompiledDeployment>> {
  const git = new GitFixture();
  git.commit({ ...files, ...others });
  const world = await openShop(git.directory);
  return compileDeployment(world.source, shop, inline, "deploy");
}

/** Lists each object with its place, or the problems. */
async function objects(others: Readonly<Record<string, string>> = {}): Promise<string> {
  return resultText(await compile(others), ({ compilation }) =>
    compilation.resources
      .map((each) => {
        const where = each.type === "manifest" ? each.where : undefined;
        const content = each.type === "manifest" ? each.object : each.content;
        return `${each.stage}/${each.id} ${where?.file} ${JSON.stringify(content)}`;
      })
      .join("\n"),
  );
}

test("a chart is rendered with its values files and with single values", async () => {
  expect(await objects()).toBe(
    'app/deployment/shop-web charts/shop/templates/web.yaml {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1.10"}]}}}}',
  );
});

test("the compilation names every file of the chart and the values files", async () => {
  const text = resultText(await compile(), ({ compilation }) => compilation.inputs.join("\n"));
  expect(text).toBe(lines`
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    charts/shop/Chart.yaml
    charts/shop/templates/web.yaml
    charts/shop/values.yaml
    values.yaml`);
});

test("a value that isn't declared or has no value is an error in the values file", async () => {
  expect(await objects({ "values.yaml": "replicas: $(params.replicas)\n" })).toBe(lines`
    values.yaml:1:11: Parameter "replicas" isn't declared
      → Declare "replicas" under params
        or write $$(params.replicas) for the literal string`);
});

test("a reference in the values keeps its type, and one in a template stays as it is", async () => {
  const text = await objects({
    ".valuestream/qvs.yaml": `params: [{name: version, type: string}, {name: replicas, type: int}]
designPatterns:
  - helm: {chart: ../charts/shop, release: shop, namespace: "$(params.version)", values: [../values.yaml]}
`,
    ".valuestream/params.yaml": "version: a\nreplicas: 3\n",
    "values.yaml": "replicas: $(params.replicas)\n# a comment\n",
    "charts/shop/templates/web.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Namespace }}-{{ kindOf .Values.replicas }}"}
data: {a: "$(params.x) $$(params.version)", b: "$(params.args[*])", c: "{{ .Values.replicas }}"}
`,
  });
  expect(text).toBe(
    'app/configmap/a/a-float64 charts/shop/templates/web.yaml {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a-float64","namespace":"a"},"data":{"a":"$(params.x) $$(params.version)","b":"$(params.args[*])","c":"3"}}',
  );
});

test("a value from the command line in a Secret of a chart is hidden", async () => {
  const compiled = await compile(
    {
      "charts/shop/templates/web.yaml":
        "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {x: '{{ .Values.image.tag | b64enc }}'}}",
    },
    ["version=hunter2"],
  );
  expect(resultText(compiled, ({ compilation }) => (compilation.hides ?? []).join(" "))).toContain(
    "hunter2",
  );
});

test.each([
  ['{{ fail (printf "%q" .Values.image.tag) }}', {}],
  ["{{ fail (.Values.image.tag | b64enc) }}", {}],
  ['{{ fail (printf "%v" .Values.image) }}', {}],
  ["{{ tpl .Values.image.tag . }}", {}],
  [
    "",
    {
      "charts/shop/values.schema.json":
        '{"properties": {"image": {"properties": {"tag": {"pattern": "^x$"}}}}}',
    },
  ],
])("an error contains no value from the command line: %s", async (template, others) => {
  const value = `hunter2's "{{ longer`;
  const compiled = await compile({ "charts/shop/templates/web.yaml": template, ...others }, [
    `version=${value}`,
  ]);
  const shown = resultText(compiled, () => "rendered");
  expect(shown).toContain("(hidden)");
  expect(shown).not.toMatch(/hunter|longer|aHVudGVy/);
});

test("fields that chance decides are listed with their template", async () => {
  const compiled = await compile({
    "charts/shop/templates/web.yaml":
      "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {x: '{{ randAlpha 9 }}', y: z}}",
  });
  expect(compiled.ok && compiled.value.compilation.irreproducible).toEqual([
    {
      ...{ kind: "Secret", name: "a", path: ["stringData", "x"] },
      where: { file: "charts/shop/templates/web.yaml", line: 1, column: 1 },
    },
  ]);
});

/** Renders a template with a random password twice in one run, as entries of two deployments. */
async function passwords(names: readonly string[], entries: string): Promise<readonly string[]> {
  const git = new GitFixture();
  git.commit({
    ...files,
    ".valuestream/qvs.yaml": `designPatterns:\n${entries}`,
    ".valuestream/params.yaml": "{}",
    "charts/shop/templates/web.yaml":
      "{apiVersion: v1, kind: Secret, metadata: {name: '{{ .Release.Name }}', namespace: '{{ .Values.in }}'}, stringData: {x: '{{ randAlpha 9 }}'}}",
  });
  const { source } = await openShop(git.directory);
  const found: string[] = [];
  for (const name of names) {
    const compiled = await compileDeployment(source, { ...shop, name }, [], "deploy");
    const resources = compiled.ok ? compiled.value.compilation.resources : [];
    found.push(...resources.flatMap((each) => JSON.stringify(each).match(/"x":"\w{9}"/g) ?? []));
  }
  return found;
}

const entryIn = (namespace: string) =>
  `  - helm: {chart: ../charts/shop, release: db, set: {in: ${namespace}}}\n`;

test("two entries and two deployments draw different random values", async () => {
  const found = await passwords(["staging", "production"], entryIn("a") + entryIn("b"));
  expect(found).toHaveLength(4);
  expect(new Set(found).size).toBe(4);
});

test("the same entry draws the same random values again in a run", async () => {
  const [first, again] = await passwords(["staging", "staging"], entryIn("a"));
  expect(first).toMatch(/^"x":/);
  expect(again).toBe(first);
});

test.each([
  [
    "an error of a template",
    { "charts/shop/templates/web.yaml": "a: 1\nb: {{ fail .Values.image.name }}" },
    lines`
      charts/shop/templates/web.yaml:2:1: Chart "../charts/shop" can't be rendered
        and .valuestream/qvs.yaml:4:14
        why: execution error at (shop/templates/web.yaml:2:6): web
        → Correct the file or the value that the message names`,
  ],
  [
    "a value that its schema doesn't allow",
    {
      "charts/shop/values.schema.json":
        '{"properties": {"replicas": {"type": "string"}, "image": {"properties": {"tag": {"maxLength": 1}}}}}',
    },
    lines`
      .valuestream/qvs.yaml:7:24: A value of chart "../charts/shop" doesn't match its schema
        value: image.tag
        why: maxLength: got 4, want 1
        → Correct the value
          or correct values.schema.json of the chart
      values.yaml:1:11: A value of chart "../charts/shop" doesn't match its schema
        value: replicas
        why: got number, want string
        → Correct the value
          or correct values.schema.json of the chart`,
  ],
  [
    "a missing values file",
    {
      ".valuestream/qvs.yaml":
        "designPatterns:\n  - helm: {chart: ../charts/shop, release: a, values: [../value.yaml]}\n",
    },
    lines`
      .valuestream/qvs.yaml:2:56: Values file "../value.yaml" doesn't exist
        → Did you mean "values.yaml"?
          or correct the path, which is relative to the directory of this file
          or commit the file: the Action reads only committed files`,
  ],
  [
    "a missing chart",
    { ".valuestream/qvs.yaml": "designPatterns:\n  - helm: {chart: ../charts/shp, release: a}\n" },
    lines`
      .valuestream/qvs.yaml:2:19: Chart "../charts/shp" doesn't exist
        → Did you mean "charts/shop"?
          or correct the path, which is relative to the directory of this file
          or commit the files: the Action reads only committed files`,
  ],
])("an error names its place: %s", async (_, others, expected) => {
  const config = ".valuestream/qvs.yaml" in others ? { ".valuestream/params.yaml": "" } : {};
  expect(await objects({ ...others, ...config })).toBe(expected);
});

test("a packed chart of the repository is rendered like its directory", async () => {
  const git = new GitFixture();
  git.commit(files);
  execFileSync("tar", ["-czf", "shop-1.0.0.tgz", "-C", "charts", "shop"], { cwd: git.directory });
  const packed = {
    ".valuestream/qvs.yaml": files[".valuestream/qvs.yaml"].replace(
      "charts/shop",
      "shop-1.0.0.tgz",
    ),
  };
  git.commit(packed);
  const world = await openShop(git.directory);
  const compiled = await compileDeployment(world.source, shop, [], "deploy");
  const text = resultText(compiled, ({ compilation }) =>
    [
      ...compilation.resources.map((each) => (each.type === "manifest" ? each.where?.file : "")),
      ...compilation.inputs,
    ].join("\n"),
  );
  expect(text).toBe(lines`
    shop-1.0.0.tgz/templates/web.yaml
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    shop-1.0.0.tgz
    values.yaml`);
});

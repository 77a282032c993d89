import { expect, test } from "vitest";
import { leafEntries, pathKey } from "../../../../src/model/sources/trace.ts";
import { addValueOrigins } from "../../../../src/sources/charts/value-origins.ts";
import { compileDeployment } from "../../../../src/sources/compile-deployment.ts";
import { GitFixture } from "../../../support/git/git-fixture.ts";
import { useWorlds } from "../../../support/shop/shop-world.ts";

const openShop = useWorlds();

const files: Readonly<Record<string, string>> = {
  ".valuestream/qvs.yaml": `params: [{name: version, type: string}]
designPatterns:
  - helm:
      chart: ../chart
      release: web
      values: [../values.yaml, ../staging.yaml]
      set:
        owner.name: ann
`,
  ".valuestream/params.yaml": 'version: "1"\n',
  "values.yaml": `color: red
size: 1
list: [a, b]
env:
  - {name: A, value: a}
  - {name: B, value: b}
tag: v$(params.version)
isLarge: false
same: red
`,
  "staging.yaml": "size: 2\n",
  "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "chart/values.yaml": "color: default\nextra: none\n",
  "chart/templates/map.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data:
  color: {{ .Values.color }}
  size: "{{ .Values.size }}"
  last: {{ last .Values.list }}
  tag: {{ .Values.tag }}
  owner: {{ .Values.owner.name }}
  extra: {{ .Values.extra }}
  literal: {{ if .Values.isLarge }}red{{ else }}blue{{ end }}
  {{- if .Values.isLarge }}
  large: "true"
  {{- end }}
`,
  "chart/templates/web.yaml": `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: web
      env: {{ toJson .Values.env }}
`,
  "chart/templates/secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: web}
stringData: {color: {{ .Values.color }}}
`,
};

const deployment = {
  name: "web",
  config: ".valuestream/qvs.yaml",
  params: [".valuestream/params.yaml"],
  namespace: "shop",
  dependsOn: [],
  environment: undefined,
  context: undefined,
};

/** Replaces texts in the files: `FILE: OLD → NEW`. */
function edited(...edits: readonly string[]): Record<string, string> {
  const changed = { ...files };
  for (const edit of edits) {
    const [, file = "", from = "", to = ""] = /^(\S+): (.*) → (.*)$/.exec(edit) ?? [];
    const text = changed[file]?.replace(from, to.replaceAll("\\n", "\n"));
    if (text === changed[file] || text === undefined) throw new Error(`no change: ${edit}`);
    changed[file] = text;
  }
  return changed;
}

async function compile(contents: Readonly<Record<string, string>>) {
  const git = new GitFixture();
  git.commit(contents);
  const { source } = await openShop(git.directory);
  const compiled = await compileDeployment(source, deployment, [], "show", { trace: true });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

/** Lists the changed fields with the places in their origins, and the parameters. */
async function origins(...edits: readonly string[]): Promise<readonly string[]> {
  const [base, head] = [await compile(files), await compile(edited(...edits))];
  const { trace = [], resources } = await addValueOrigins(head, base);
  const contents = ({ resources: all }: Pick<typeof base.compilation, "resources">) =>
    new Map(
      all.flatMap((each) =>
        each.type === "manifest"
          ? leafEntries(each.object).map(([path, value]) => [
              pathKey([`${each.stage}/${each.id}`, ...path]),
              value,
            ])
          : [],
      ),
    );
  const [before, after] = [contents(base.compilation), contents({ resources })];
  return trace.flatMap(({ resource, fields }) =>
    fields.flatMap(({ path, origins: all }) => {
      const key = pathKey([resource, ...path]);
      if (before.get(key) === after.get(key)) return [];
      const places = all.flatMap(({ at }) => at.map(({ file, line }) => `${file}:${line}`));
      const made = all.flatMap((each) => each.made.map(({ name }) => ` (${name})`));
      const short = resource.split("/")[1];
      return [`${short} ${path.join(".")}: ${places.join(", ")}${made.join("")}`];
    }),
  );
}

const map = "chart/templates/map.yaml:1";
const pod = "chart/templates/web.yaml:1";

test.each<readonly [name: string, edits: readonly string[], expected: readonly string[]]>([
  [
    "the line of a values file",
    ["values.yaml: color: red → color: green"],
    [
      `configmap data.color: values.yaml:1, ${map}`,
      "secret stringData.color: chart/templates/secret.yaml:1",
    ],
  ],
  [
    "the last file that sets the value",
    ["values.yaml: size: 1 → size: 7", "staging.yaml: size: 2 → size: 3"],
    [`configmap data.size: staging.yaml:1, ${map}`],
  ],
  [
    "the line of a single value",
    [".valuestream/qvs.yaml: ann → bob"],
    [`configmap data.owner: .valuestream/qvs.yaml:8, ${map}`],
  ],
  [
    "a new value, instead of the default of the chart",
    ["staging.yaml: size: 2 → size: 2\\nextra: more"],
    [`configmap data.extra: staging.yaml:2, ${map}`],
  ],
  [
    "the line with a parameter, and the parameter",
    ['.valuestream/params.yaml: "1" → "2"'],
    [`configmap data.tag: values.yaml:7, ${map} (version)`],
  ],
  [
    "an item of a list",
    ["values.yaml: [a, b] → [a, c]"],
    [`configmap data.last: values.yaml:3, ${map}`],
  ],
  [
    "a list with another length",
    ["values.yaml: [a, b] → [a, b, c]"],
    [`configmap data.last: values.yaml:3, ${map}`],
  ],
  [
    "a value that only decides, for all its fields",
    ["values.yaml: isLarge: false → isLarge: true"],
    [
      `configmap data.literal: values.yaml:8, ${map}`,
      `configmap data.large: values.yaml:8, ${map}`,
    ],
  ],
  [
    "two values, each for its own field",
    ["values.yaml: color: red → color: green", "values.yaml: same: red → same: green"],
    [
      `configmap data.color: values.yaml:1, ${map}`,
      "secret stringData.color: chart/templates/secret.yaml:1",
    ],
  ],
  [
    "only the template, if the template changed",
    ["chart/templates/map.yaml: {{ .Values.extra }} → more"],
    [`configmap data.extra: ${map}`],
  ],
  [
    "only the template, if the default of the chart changed",
    ["chart/values.yaml: extra: none → extra: more"],
    [`configmap data.extra: ${map}`],
  ],
  [
    "no line for the items that another item moved",
    ["values.yaml:   - {name: A, value: a} →   - {name: C, value: c}\\n  - {name: A, value: a}"],
    [
      `pod spec.containers.0.env.0.name: ${pod}`,
      `pod spec.containers.0.env.0.value: ${pod}`,
      `pod spec.containers.0.env.1.name: ${pod}`,
      `pod spec.containers.0.env.1.value: ${pod}`,
      `pod spec.containers.0.env.2.name: ${pod}`,
      `pod spec.containers.0.env.2.value: ${pod}`,
    ],
  ],
  [
    "no line if the chart fails with the earlier value",
    [
      'chart/templates/map.yaml: size: "{{ .Values.size }}" → size: "{{ required "size" .Values.big }}"',
      "staging.yaml: size: 2 → big: 3",
    ],
    [`configmap data.size: ${map}`],
  ],
  [
    "no line if the chart draws values by chance",
    [
      "values.yaml: color: red → color: green",
      "chart/templates/secret.yaml: {{ .Values.color }} → {{ randAlpha 9 }}",
    ],
    [`configmap data.color: ${map}`, "secret stringData.color: chart/templates/secret.yaml:1"],
  ],
  [
    "the line of an item with the same name",
    ["values.yaml: value: b} → value: c}"],
    [`pod spec.containers.0.env.1.value: values.yaml:6, ${pod}`],
  ],
])("the origin of a changed field names %s", async (_, edits, expected) => {
  expect(await origins(...edits)).toEqual(expected);
});

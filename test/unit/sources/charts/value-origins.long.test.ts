import { expect, test } from "vitest";
import { textAt } from "../../../../src/model/json.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import type { Compilation } from "../../../../src/model/sources/compilation.ts";
import { leafEntries, pathKey } from "../../../../src/model/sources/trace.ts";
import {
  addLiveValueOrigins,
  addValueOrigins,
} from "../../../../src/sources/charts/value-origins.ts";
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
      values: [../anchors.yaml, ../documents.yaml, ../values.yaml, ../staging.yaml]
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
  "anchors.yaml": `shared: &shared
  mode: slow
  level: 1
name: &name shop
alias: *name
merged:
  own: x
  <<: *shared
whole: *shared
other: plain
later: {level: 9}
items: [x, y]
host: a.example
`,
  "documents.yaml": `first: a
both: {one: 1, two: 2}
---
both: {two: 3}
last: z
`,
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
  "chart/templates/more.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: more}
data:
  alias: {{ .Values.alias }}
  mode: {{ .Values.merged.mode }}
  level: "{{ .Values.whole.level }}"
  other: {{ .Values.other }}
  later: "{{ .Values.later.level }}"
  item: {{ last .Values.items }}
  first: {{ .Values.first }}
  one: "{{ .Values.both.one }}"
  two: "{{ .Values.both.two }}"
  last: {{ .Values.last }}
  address: "https://{{ .Values.host }}/"
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

async function compile(contents: Readonly<Record<string, string>>, trace: true | "inputs" = true) {
  const git = new GitFixture();
  git.commit(contents);
  const { source } = await openShop(git.directory);
  const compiled = await compileDeployment(source, deployment, [], "show", { trace });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

/** Lists the changed fields with the places in their origins, and the parameters. */
async function origins(...edits: readonly string[]): Promise<readonly string[]> {
  const [base, head] = [await compile(files), await compile(edited(...edits))];
  return changedOrigins(base.compilation, await addValueOrigins(head, base));
}

/** Lists the same without the earlier commit, which is live. */
async function liveOrigins(...edits: readonly string[]): Promise<readonly string[]> {
  const [base, head] = [await compile(files), await compile(edited(...edits), "inputs")];
  const changes = plannedUpdates(base.compilation, head.compilation);
  const traced = await addLiveValueOrigins(head, changes);
  return changedOrigins(base.compilation, traced);
}

/** Returns the changes of a plan that updates the objects of another compilation. */
function plannedUpdates(before: Compilation, after: Compilation): readonly Change[] {
  const live = objectsOf(before);
  return [...objectsOf(after)].map(([key, predicted]) => {
    const [stage = "", ...names] = key.split("/");
    const resource = names.join("/");
    const change = { key, stage, resource, action: "update", live: live.get(key), predicted };
    return change as unknown as Change;
  });
}

function objectsOf({ resources }: Compilation) {
  return new Map(
    resources.flatMap((each) =>
      each.type === "manifest" ? [[`${each.stage}/${each.id}`, each.object]] : [],
    ),
  );
}

function changedOrigins(
  base: Compilation,
  { trace = [], resources }: Compilation,
): readonly string[] {
  const contents = ({ resources: all }: Pick<Compilation, "resources">) =>
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
  const [before, after] = [contents(base), contents({ resources })];
  return trace.flatMap(({ resource, fields }) =>
    fields.flatMap(({ path, origins: all }) => {
      const key = pathKey([resource, ...path]);
      if (before.get(key) === after.get(key)) return [];
      const places = all.flatMap(({ at }) => at.map(({ file, line }) => `${file}:${line}`));
      const made = all.flatMap((each) => each.made.map(({ name }) => ` (${name})`));
      const named = objectsOf({ resources } as Compilation).get(resource);
      const name = textAt(named, "metadata", "name");
      const short = name === "more" ? name : resource.split("/")[1];
      return [`${short} ${path.join(".")}: ${places.join(", ")}${made.join("")}`];
    }),
  );
}

const map = "chart/templates/map.yaml:1";
const pod = "chart/templates/web.yaml:1";
const more = "chart/templates/more.yaml:1";

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
  [
    "the anchor of an alias",
    ["anchors.yaml: &name shop → &name store"],
    [`more data.alias: anchors.yaml:4, ${more}`],
  ],
  [
    "the anchor of a merge key",
    ["anchors.yaml: mode: slow → mode: fast"],
    [`more data.mode: anchors.yaml:2, ${more}`],
  ],
  [
    "the line in the anchor of an object",
    ["anchors.yaml: level: 1 → level: 2"],
    [`more data.level: anchors.yaml:3, ${more}`],
  ],
  [
    "a changed alias, if its anchor is unchanged",
    ["anchors.yaml: other: plain → other: *name"],
    [`more data.other: anchors.yaml:10, ${more}`],
  ],
  [
    "a changed alias, if its anchor had another value",
    ["anchors.yaml: &name shop → &name store", "anchors.yaml: other: plain → other: *name"],
    [`more data.alias: anchors.yaml:4, ${more}`, `more data.other: anchors.yaml:10, ${more}`],
  ],
  [
    "a new alias in a list",
    ["anchors.yaml: [x, y] → [x, *name]"],
    [`more data.item: anchors.yaml:12, ${more}`],
  ],
  [
    "a new merge key",
    ["anchors.yaml: later: {level: 9} → later:\\n  <<: *shared"],
    [`more data.later: anchors.yaml:12, ${more}`],
  ],
  [
    "the first document of a file",
    ["documents.yaml: first: a → first: b", "documents.yaml: one: 1 → one: 5"],
    [`more data.first: documents.yaml:1, ${more}`, `more data.one: documents.yaml:2, ${more}`],
  ],
  [
    "the last document that sets the value",
    ["documents.yaml: two: 2 → two: 7", "documents.yaml: two: 3 → two: 4"],
    [`more data.two: documents.yaml:4, ${more}`],
  ],
  [
    "no line of a file that Helm could read differently",
    ["documents.yaml: first: a → first: b", "documents.yaml: --- → ...\\n---"],
    [`more data.first: ${more}`],
  ],
])("the origin of a changed field names %s", async (_, edits, expected) => {
  expect(await origins(...edits)).toEqual(expected);
});

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
    ["values.yaml: size: 1 → size: 3", "staging.yaml: size: 2 → size: 3"],
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
    "a part of the text of the field",
    ["anchors.yaml: host: a.example → host: b.example"],
    [`more data.address: anchors.yaml:13, ${more}`],
  ],
  [
    "only the template, if the rest of the text changed too",
    ["chart/templates/map.yaml: tag: {{ → tag: web:{{", "values.yaml: tag: v → tag: w"],
    [`configmap data.tag: ${map}`],
  ],
  [
    "an item of a list",
    ["values.yaml: [a, b] → [a, c]"],
    [`configmap data.last: values.yaml:3, ${map}`],
  ],
  [
    "the anchor of an alias",
    ["anchors.yaml: &name shop → &name store"],
    [`more data.alias: anchors.yaml:4, ${more}`],
  ],
  [
    "only the template, if the template changed",
    ["chart/templates/map.yaml: {{ .Values.extra }} → red"],
    [`configmap data.extra: ${map}`],
  ],
  [
    "a value that only decides, if it makes another changed field",
    ["values.yaml: isLarge: false → isLarge: true"],
    [
      `configmap data.literal: values.yaml:8, ${map}`,
      `configmap data.large: values.yaml:8, ${map}`,
    ],
  ],
  [
    "only the template, if no changed field contains the value",
    [
      "values.yaml: isLarge: false → isLarge: true",
      'chart/templates/map.yaml: large: "true" → large: "yes"',
    ],
    [`configmap data.literal: ${map}`, `configmap data.large: ${map}`],
  ],
])("without an earlier commit, the origin names %s", async (_, edits, expected) => {
  expect(await liveOrigins(...edits)).toEqual(expected);
});

test("a preview makes at most 12 renderings, and none without a changed field", async () => {
  const config = ".valuestream/qvs.yaml";
  const [before, after] = ["old", "new"].map((value) => ({
    ...files,
    [config]: `${files[config]}${numbered((n) => `        many.v${n}: ${value}${n}\n`)}`,
    "chart/templates/many.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: many}
data:
${numbered((n) => `  v${n}: {{ .Values.many.v${n} }}\n`)}`,
  }));
  const [base, head] = [await compile(before ?? {}), await compile(after ?? {}, "inputs")];
  expect(await countRenderings(head, plannedUpdates(base.compilation, head.compilation))).toBe(12);
  const same = plannedUpdates(head.compilation, head.compilation);
  expect(await countRenderings(head, same)).toBe(0);
});

function numbered(line: (number: number) => string): string {
  return Array.from({ length: 20 }, (_, index) => line(index + 10)).join("");
}

async function countRenderings(
  head: Awaited<ReturnType<typeof compile>>,
  changes: readonly Change[],
): Promise<number> {
  let count = 0;
  const charts = head.charts.map((chart) => ({
    ...chart,
    renderAgain: (values: Parameters<typeof chart.renderAgain>[0]) => {
      count += 1;
      return chart.renderAgain(values);
    },
  }));
  await addLiveValueOrigins({ ...head, charts }, changes);
  return count;
}

import { expect, test } from "vitest";
import type { ParsedChart } from "../../../../src/config/inputs/parsed-input.ts";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import type { Json } from "../../../../src/model/json.ts";
import type { HookEvent, RenderedChart, RenderProblem } from "../../../../src/ports/render.ts";
import { hideInTemplates } from "../../../../src/redaction/given-values.ts";
import { chartNotices } from "../../../../src/sources/charts/chart-notices.ts";
import { chartProblems, templatePlaces } from "../../../../src/sources/charts/chart-problems.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { lines, must } from "../../config/result-text.ts";

const config = must(
  parseConfig(
    "q.yaml",
    "designPatterns:\n  - helm: {chart: charts/shop, release: shop, set: {image.tag: 1}}",
  ),
);
const [entry] = config.fileEntries as readonly ParsedChart[];
const paths = [
  "charts/shop/Chart.yaml",
  "charts/shop/templates/web.yaml",
  "charts/shop/charts/db/templates/db.yaml",
  "charts/shop/charts/cache-1.2.3.tgz",
];

function chartOf(path?: string): ParsedChart {
  if (entry === undefined) throw new Error("The config has no chart");
  return path === undefined ? entry : { ...entry, path };
}

test.each([
  ["shop/templates/web.yaml", "charts/shop", "charts/shop/templates/web.yaml"],
  ["shop/charts/db/templates/db.yaml", "charts/shop", "charts/shop/charts/db/templates/db.yaml"],
  [
    "shop/charts/cache/templates/a.yaml",
    "charts/shop",
    "charts/shop/charts/cache-1.2.3.tgz/templates/a.yaml",
  ],
  ["shop/charts/alias/templates/a.yaml", "charts/shop", "charts/shop/Chart.yaml"],
  ["shop/templates/web.yaml", "shop-1.tgz", "shop-1.tgz/templates/web.yaml"],
])("the template %s of %s is %s", (file, path, expected) => {
  const all = path.endsWith(".tgz") ? [path] : paths;
  expect(templatePlaces(chartOf(path), all)({ file, line: 3 })).toEqual({
    file: expected,
    line: 3,
    column: 1,
  });
});

const texts = [
  { name: "a.yaml", text: "replicas: x\nimage: {name: web}\ndb: {size: 1}\n" },
  { name: "b.yaml", text: "\nreplicas: y\n" },
];

function problems(problem: RenderProblem, given: readonly Json[] = []): string {
  const chart = chartOf();
  const placeOf = templatePlaces(chart, paths);
  return chartProblems(problem, { entry: chart, texts, placeOf, hide: hideInTemplates(given).hide })
    .map(describeProblem)
    .join("\n");
}

test("a value that doesn't match the schema is an error where it is set", () => {
  const message = lines`
    values don't meet the specifications of the schema(s) in the following chart(s):
    shop:
    - at '/replicas': got string, want integer
    - at '/image/tag': got number, want string
    db:
    - at '/size': maximum: got 1, want 0
    - at '': missing property 'name'`;
  expect(problems({ code: "invalid", message })).toBe(lines`
    b.yaml:2:11: A value of chart "charts/shop" doesn't match its schema
      value: replicas
      why: got string, want integer
      → Correct the value
        or correct values.schema.json of the chart
    q.yaml:2:64: A value of chart "charts/shop" doesn't match its schema
      value: image.tag
      why: got number, want string
      → Correct the value
        or correct values.schema.json of the chart
    a.yaml:3:12: A value of chart "charts/shop" doesn't match its schema
      value: size
      why: maximum: got 1, want 0
      → Correct the value
        or correct values.schema.json of the chart
    a.yaml:3:5: A value of chart "charts/shop" doesn't match its schema
      value: (all values)
      why: missing property 'name'
      → Correct the value
        or correct values.schema.json of the chart`);
});

test("an error of a template names its file and line, and no secret", () => {
  const at = { file: "shop/templates/web.yaml", line: 7 };
  expect(
    problems({ code: "invalid", message: "hunter2 is too short", at }, ["hunter2"]),
  ).toBe(lines`
    charts/shop/templates/web.yaml:7:1: Chart "charts/shop" can't be rendered
      and q.yaml:2:19
      why: (hidden) is too short
      → Correct the file or the value that the message names`);
});

test("a notice contains no value from the command line", () => {
  const hook = { template: "shop/templates/web.yaml", text: "", kind: "Job", name: "a-hunter2" };
  const shown = notices({
    notices: [{ code: "warning", message: 'unknown "hunter2"' }],
    hooks: [{ ...hook, events: ["pre-rollback"], weight: 0, deletePolicies: [] }],
  });
  expect(shown).toContain('why: unknown "(hidden)"');
  expect(shown).toContain("Hook Job a-(hidden) never runs");
});

test.each([
  [
    "found in Chart.yaml, but missing in charts/ directory: db",
    "Run helm dependency build charts/shop, and commit charts/",
  ],
  [
    "chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.37.0",
    "Set kubeVersion in the entry to the version of the cluster",
  ],
  ["library charts are not installable", "Name the chart that depends on this library"],
])("a known message has its own fix: %s", (message, fix) => {
  expect(problems({ code: "invalid", message })).toContain(`→ ${fix}`);
});

test.each([
  ["Job", "pre-install", []],
  ["Pod", "pre-install", ["qvs runs it once and doesn't wait for its end"]],
  ["ServiceAccount", "pre-delete", []],
  ["Job", "pre-rollback", ["qvs runs no hooks of rollbacks"]],
  ["Job", "pre-delete", []],
  // Another notice names the hook that no deletion runs.
  ["Pod", "post-delete", []],
] as const)("a hook of the kind %s at %s has the notices %j", (kind, event, expected) => {
  const hook = { template: "shop/templates/web.yaml", text: "", kind, name: "a" };
  const hooks = [{ ...hook, events: [event], weight: 0, deletePolicies: [] }];
  const chart = chartOf();
  const found = chartNotices({ ...rendered, hooks }, chart, templatePlaces(chart, paths), {
    hide,
    namespace: "shop",
  });
  expect(found.map(({ why }) => why)).toEqual(expected);
});

test("an invalid values file is named as written", () => {
  const at = { file: "b.yaml" };
  expect(problems({ code: "invalid", message: "failed to parse b.yaml", at })).toContain(
    "b.yaml:1:1",
  );
});

test("an invalid name of a release is an error where it is written", () => {
  expect(problems({ code: "invalid", message: 'release name "A": invalid' })).toContain(
    "q.yaml:2:41",
  );
});

const rendered: RenderedChart = {
  chart: { name: "shop", version: "1.0.0", appVersion: "" },
  ...{ manifests: [], crds: [], hooks: [], notes: "", notices: [] },
};

const { hide } = hideInTemplates(["hunter2"]);

function notices(changed: Partial<RenderedChart>): string {
  const chart = chartOf();
  const found = chartNotices({ ...rendered, ...changed }, chart, templatePlaces(chart, paths), {
    hide,
    namespace: "shop",
  });
  return found.map(describeProblem).join("\n");
}

test("a lookup and a warning are notices with their places", () => {
  const at = { file: "shop/templates/web.yaml", line: 2 };
  expect(
    notices({
      notices: [
        { code: "lookup", message: "lookup of v1 Secret shop/db finds nothing", at },
        { code: "warning", message: "something" },
      ],
    }),
  ).toBe(lines`
    charts/shop/templates/web.yaml:2:1: The chart looks up an object of the cluster, and finds none
      and q.yaml:2:19
      why: lookup of v1 Secret shop/db finds nothing
      → Set the value that the chart would look up, for example the name of an existing Secret
    q.yaml:2:19: Helm warns about chart "charts/shop"
      why: something
      → Correct the chart as the message shows`);
});

test.each<[HookEvent[], string[]]>([
  [["pre-install", "pre-upgrade"], []],
  [["post-install"], []],
  [["test"], []],
  [["pre-delete"], []],
  [["pre-install", "post-delete"], ["qvs doesn't run it at post-delete"]],
  [["pre-delete", "post-delete"], ["qvs doesn't run it at post-delete"]],
  [["post-rollback"], ["qvs runs no hooks of rollbacks"]],
  [["post-install", "pre-upgrade"], ["qvs runs it after the other objects in each deployment"]],
  [["pre-upgrade"], ["qvs runs it in the first deployment too"]],
  [["pre-install", "post-rollback"], ["qvs doesn't run it at post-rollback"]],
])("a hook with the events %j has the notices %j", (events, expected) => {
  const hook = { template: "shop/templates/web.yaml", text: "", kind: "Job", name: "a" };
  const chart = chartOf();
  const hooks = [{ ...hook, events, weight: 0, deletePolicies: [] }];
  const context = { hide, namespace: "shop" };
  const found = chartNotices({ ...rendered, hooks }, chart, templatePlaces(chart, paths), context);
  expect(found.map(({ why }) => why)).toEqual(expected);
});

test("a hook that only has to exist has no notice about its times", () => {
  const hook = { template: "shop/templates/web.yaml", text: "", kind: "ServiceAccount", name: "a" };
  const events: HookEvent[] = ["pre-install", "post-install"];
  expect(notices({ hooks: [{ ...hook, events, weight: 0, deletePolicies: [] }] })).toBe("");
});

test("an upgrade hook with the name of another object has a notice that it is left out", () => {
  const hook = {
    ...{ template: "shop/templates/web.yaml", kind: "Job", name: "a" },
    ...{ text: "{apiVersion: batch/v1, kind: Job, metadata: {name: a}}", weight: 0 },
    deletePolicies: [],
  };
  const hooks = [
    { ...hook, events: ["pre-install"] as const },
    { ...hook, events: ["pre-upgrade"] as const },
  ];
  expect(notices({ hooks })).toBe(lines`
    charts/shop/templates/web.yaml:1:1: Hook Job a is left out
      events: pre-upgrade
      why: The chart has another object of this name, and qvs deploys that one at upgrades too
      → Give the hook another name to deploy both`);
});

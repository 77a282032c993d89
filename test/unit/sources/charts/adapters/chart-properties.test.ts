import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/model/json.ts";
import { readChartProperties } from "../../../../../src/sources/charts/adapters/chart-properties.ts";
import { propertyRules } from "../../../../../src/sources/charts/adapters/property-rules.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";

const where = { file: "a/main.cue", line: 3, column: 2 };

function read(content: JsonObject) {
  return readChartProperties({ stage: "app", id: "g/web", content, where });
}

/** Returns the problems, or the notices, in short form. */
function shown(content: JsonObject): string {
  const found = read(content);
  return (found.ok ? found.value.notices : found.problems).map(describeProblem).join("\n");
}

const flat = {
  provider: "kubernetes-helm",
  output: ["x"],
  chart: "web",
  version: "1.0.0",
  fetchOpts: { repo: "https://charts.example" },
};
const release = {
  provider: "kubernetes-helm",
  type: "kubernetes:helm.sh/v3:Release",
  properties: {
    chart: "web",
    version: "1.0.0",
    repositoryOpts: { repo: "https://charts.example" },
  },
};

function released(properties: JsonObject): JsonObject {
  return { ...release, properties: { ...release.properties, ...properties } };
}

const defaults = {
  chart: { chart: "web", repository: "https://charts.example", version: "1.0.0", where },
  release: "web",
  namespace: undefined,
  values: {},
  kubeVersion: undefined,
  apiVersions: undefined,
  crds: true,
  notices: [],
};

const cases: readonly (readonly [title: string, content: JsonObject, expected: object])[] = [
  ["the id without the group is the name of the release", flat, defaults],
  ["a Release has the same parts as properties", release, defaults],
  [
    "a Chart of version 4 has the same parts as properties",
    { ...release, type: "kubernetes:helm.sh/v4:Chart" },
    defaults,
  ],
  [
    "name, namespace, values and versions are used",
    released({
      name: "main",
      namespace: "shop",
      values: { a: { b: 1 } },
      kubeVersion: "v1.34.0",
      apiVersions: ["a.example/v1"],
    }),
    {
      ...defaults,
      release: "main",
      namespace: "shop",
      values: { a: { b: 1 } },
      kubeVersion: "v1.34.0",
      apiVersions: ["a.example/v1"],
    },
  ],
  [
    "releaseName is the name in the flat form",
    { ...flat, releaseName: "main" },
    { ...defaults, release: "main" },
  ],
  ["skipCrds leaves out crds/", released({ skipCrds: true }), { ...defaults, crds: false }],
  ["skipCRDRendering does too", { ...flat, skipCRDRendering: true }, { ...defaults, crds: false }],
  [
    "the version can be in fetchOpts",
    {
      provider: "kubernetes-helm",
      chart: "web",
      fetchOpts: { ...flat.fetchOpts, version: "1.0.0" },
    },
    defaults,
  ],
  [
    "a chart of an OCI registry has no repository",
    { provider: "kubernetes-helm", chart: "oci://registry.example/charts/web", version: "1.0.0" },
    {
      ...defaults,
      chart: {
        ...defaults.chart,
        chart: "oci://registry.example/charts/web",
        repository: undefined,
      },
    },
  ],
  [
    "a Release drops null",
    released({ values: { a: null, b: [null, 1] } }),
    { ...defaults, values: { b: [1] } },
  ],
  [
    "a Release with allowNullValues keeps null",
    released({ values: { a: null }, allowNullValues: true }),
    { ...defaults, values: { a: null } },
  ],
  ["a Chart keeps null", { ...flat, values: { a: null } }, { ...defaults, values: { a: null } }],
  [
    "the defaults of Pulumi count as not set",
    released({
      createNamespace: false,
      timeout: 0,
      valueYamlFiles: [],
      postrender: "",
      verify: false,
    }),
    defaults,
  ],
];

test.each(cases)("%s", (_title, content, expected) => {
  expect(read(content)).toEqual({ ok: true, value: expected });
});

test("properties without effect are named with the reason", () => {
  expect(shown(released({ atomic: true, skipAwait: true }))).toBe(
    `a/main.cue:3:2: Resource app/g/web has properties that have no effect
  atomic: it controls how Helm stores and repeats a release, and qvs deploys without Helm
  skipAwait: qvs waits until each object is ready, at most for the timeout of the deployment
  → Remove them from the adapter, or leave them: they change no object`,
  );
});

test("options of Pulumi without effect are named", () => {
  const options = { customTimeouts: { create: "1m" }, dependsOn: [], provider: "x" };
  expect(shown({ ...release, options })).toContain(
    "Resource app/g/web has options that have no effect\n  options: customTimeouts",
  );
});

test.each([...propertyRules].filter(([, rule]) => rule.type === "rejected"))(
  "%s is rejected with its reason",
  (name, rule) => {
    const [group, part] = name.split(".");
    const properties =
      part === undefined
        ? { [name]: "x" }
        : { [group ?? ""]: { repo: "https://charts.example", [part]: "x" } };
    const { why, fix } = rule as { readonly why: string; readonly fix: string };
    expect(shown(released(properties))).toBe(
      `a/main.cue:3:2: Resource app/g/web: ${name} isn't supported\n  why: ${why}\n  → ${fix}`,
    );
  },
);

const wrong: readonly (readonly [title: string, content: JsonObject, expected: string])[] = [
  [
    "an unknown property",
    { ...flat, nameSpace: "x" },
    `has the unknown property "nameSpace"\n  → Did you mean "namespace"?`,
  ],
  [
    "an unknown type",
    { ...release, type: "kubernetes:helm.sh/v3:Releas" },
    `has a type that isn't a chart\n  → Did you mean "kubernetes:helm.sh/v3:Release"?`,
  ],
  ["no chart", { provider: "kubernetes-helm" }, "app/g/web: chart isn't set"],
  ["no version", { ...flat, version: "" }, 'Chart "web" has no version'],
  ["a range of versions", { ...flat, version: "^1.0.0" }, `"^1.0.0" isn't an exact version`],
  [
    "a chart without a repository",
    { provider: "kubernetes-helm", chart: "stable/web" },
    'Chart "stable/web" has no repository',
  ],
  [
    "an address with a password",
    { ...flat, fetchOpts: { repo: "https://me:secret@charts.example" } },
    "contains a user name or password",
  ],
  ["values that aren't an object", { ...flat, values: "x" }, "app/g/web: values isn't an object"],
  ["a number as a name", { ...flat, releaseName: 7 }, "app/g/web: releaseName isn't a string"],
  [
    "a property next to properties",
    { ...release, values: { a: 1 } },
    "app/g/web: values is outside of properties\n  → Move it into properties, or remove it",
  ],
  [
    "properties that aren't an object",
    { ...release, properties: ["x"] },
    "app/g/web: properties isn't an object",
  ],
  [
    "options that aren't an object",
    { ...release, options: "x" },
    "app/g/web: options isn't an object",
  ],
  [
    "two versions",
    { ...flat, fetchOpts: { ...flat.fetchOpts, version: "2.0.0" } },
    "app/g/web: fetchOpts.version differs from version\n  → Remove one of the two",
  ],
  [
    "two names",
    { ...flat, name: "a", releaseName: "b" },
    "app/g/web: releaseName differs from name",
  ],
  [
    "an option that protects the release",
    { ...release, options: { protect: true } },
    "app/g/web: options.protect isn't supported\n  → Let an adapter add vs.axis-dev.io/keepOnDelete",
  ],
  ["a text as a flag", released({ skipCrds: "yes" }), "app/g/web: skipCrds isn't a boolean"],
];

test.each(wrong)("%s is an error", (_title, content, expected) => {
  const text = shown(content);
  expect(text).toContain(expected);
  expect(text).not.toContain("me:secret");
});

test("messages about properties have a limit", { tags: "slow" }, () => {
  const names = Array.from({ length: 100_000 }, (_, index) => [`unknown${index}`, 1] as const);
  const found = read({ ...flat, ...Object.fromEntries(names) });
  expect(found.ok ? 0 : found.problems.length).toBe(20);
});

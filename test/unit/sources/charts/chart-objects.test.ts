import { expect, test } from "vitest";
import { toJson } from "../../../../src/config/read-typed.ts";
import { type Json, textAt } from "../../../../src/model/json.ts";
import type { HookEvent, RenderedChart, RenderedHook } from "../../../../src/ports/render.ts";
import { chartObjects } from "../../../../src/sources/charts/chart-objects.ts";
import { hookPhase } from "../../../../src/sources/charts/hooks.ts";
import { lines, resultText } from "../../config/result-text.ts";

const object = (kind: string, name: string, metadata = "", more = "") => {
  const apiVersion = kind === "Job" ? "batch/v1" : "v1";
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}${metadata}}${more}}`;
};

const hook = (
  name: string,
  events: readonly HookEvent[],
  weight = 0,
  more: Partial<RenderedHook> = {},
): RenderedHook => ({
  template: `web/templates/${name}.yaml`,
  text: object("Job", name),
  kind: "Job",
  name,
  ...{ events, weight, deletePolicies: [] },
  ...more,
});

const chart: RenderedChart = {
  chart: { name: "web", version: "1.0.0", appVersion: "" },
  manifests: [{ template: "web/templates/a.yaml", text: object("ConfigMap", "settings") }],
  crds: [],
  hooks: [],
  notes: "",
  notices: [],
};

/** Lists the objects of each stage with their dependencies. */
function ordered(
  changed: Partial<RenderedChart>,
  stage: "app" | "appSetup" = "app",
  crds = true,
): string {
  const context = { stage, namespace: "shop", crds, hidden: [] };
  const placeOf = (file: string) => ({ file, line: 1, column: 1 });
  const result = chartObjects({ ...chart, ...changed }, { ...context, placeOf });
  return resultText(result, ({ stages }) =>
    Object.entries(stages)
      .flatMap(([name, all]) => all.map((each) => `${name}: ${describe(toJson(each))}`))
      .join("\n"),
  );
}

function describe(value: Json): string {
  const waits = textAt(value, "metadata", "annotations", "vs.axis-dev.io/dependsOn");
  const named = `${textAt(value, "kind")} ${textAt(value, "metadata", "name")}`;
  return waits === undefined ? named : `${named} after ${waits}`;
}

test("of a key that a template renders twice, the last value counts, and a notice names it", () => {
  const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: first, name: last}}";
  const template = "web/templates/a.yaml";
  const placeOf = (file: string) => ({ file, line: 1, column: 1 });
  const context = { stage: "app", namespace: "shop", crds: true, hidden: [], placeOf } as const;
  const result = chartObjects({ ...chart, manifests: [{ template, text }] }, context);
  expect(ordered({ manifests: [{ template, text }] })).toBe("app: ConfigMap last");
  expect(result).toMatchObject({
    value: {
      notices: [
        {
          code: "repeated-key",
          what: '"name" occurs twice in one object',
          where: [{ file: template }],
        },
      ],
    },
  });
});

test("hooks surround the other objects in the order of their weights", () => {
  const hooks = [
    hook("late", ["post-install"], 5),
    hook("second", ["pre-install"], 1),
    hook("first", ["pre-install"], -1),
    hook("early", ["post-install"], 1),
  ];
  expect(ordered({ hooks })).toBe(lines`
    appSetup: Job first
    appSetup: Job second after batch:Job::shop/first
    app: ConfigMap settings
    app: Job early after core:ConfigMap::shop/settings
    app: Job late after batch:Job::shop/early`);
});

test("hooks of equal weight are sorted by name, and by kind only for equal names", () => {
  const account = { kind: "ServiceAccount", text: object("ServiceAccount", "z") };
  const hooks = [
    hook("z", ["pre-install"], 0, account),
    hook("z", ["pre-install"]),
    hook("a", ["pre-install"]),
    hook("B", ["pre-install"]),
  ];
  expect(ordered({ hooks })).toBe(lines`
    appSetup: Job B
    appSetup: Job a after batch:Job::shop/B
    appSetup: ServiceAccount z after batch:Job::shop/a
    appSetup: Job z after core:ServiceAccount::shop/z
    app: ConfigMap settings`);
});

test("a hook waits for custom objects in the namespace of the release", () => {
  const text =
    "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: web}}";
  const manifests = [{ template: "web/templates/monitor.yaml", text }];
  expect(ordered({ manifests, hooks: [hook("late", ["post-install"])] })).toBe(lines`
    app: ServiceMonitor web
    app: Job late after monitoring.coreos.com:ServiceMonitor::shop/web`);
});

test("a definition of the chart decides that its objects have no namespace", () => {
  const text = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
    metadata: {name: zones.x.example},
    spec: {group: x.example, names: {kind: Zone}, scope: Cluster}}`;
  const crds = [{ path: "web/crds/zone.yaml", text }];
  const zone = "{apiVersion: x.example/v1, kind: Zone, metadata: {name: a}}";
  const manifests = [{ template: "web/templates/zone.yaml", text: zone }];
  expect(ordered({ crds, manifests, hooks: [hook("late", ["post-install"])] })).toContain(
    "app: Job late after x.example:Zone::a",
  );
});

test.each<HookEvent>(["pre-upgrade", "post-upgrade"])(
  "a hook of %s with the name of a hook of the installation is left out",
  (event) => {
    const hooks = [hook("migrate", ["pre-install"]), hook("migrate", [event])];
    expect(ordered({ hooks })).toBe(lines`
      appSetup: Job migrate
      app: ConfigMap settings`);
  },
);

test("an upgrade hook with the name of another object is left out", () => {
  const same = { kind: "ConfigMap", text: object("ConfigMap", "settings", ", namespace: shop") };
  expect(ordered({ hooks: [hook("settings", ["pre-upgrade"], 0, same)] })).toBe(
    "app: ConfigMap settings",
  );
});

test("in appSetup, all objects wait for the hooks before them", () => {
  const hooks = [hook("migrate", ["pre-upgrade", "pre-install"])];
  expect(ordered({ hooks }, "appSetup")).toBe(lines`
    appSetup: Job migrate
    appSetup: ConfigMap settings after batch:Job::shop/migrate`);
});

test("definitions are deployed before hooks", () => {
  const crds = [{ path: "web/crds/a.yaml", text: object("Namespace", "stands-in") }];
  expect(ordered({ crds, hooks: [hook("migrate", ["pre-install"])] })).toBe(lines`
    appSetup: Namespace stands-in
    appSetup: Job migrate after core:Namespace::stands-in
    app: ConfigMap settings`);
});

test("the files in crds/ can be left out", () => {
  const crds = [{ path: "web/crds/a.yaml", text: object("Namespace", "stands-in") }];
  expect(ordered({ crds }, "app", false)).toBe("app: ConfigMap settings");
});

test("of equal definitions in a chart and its subcharts, the first one is deployed", () => {
  const crds = ["web/crds/a.yaml", "web/charts/b/crds/a.yaml"].map((path) => ({
    ...{ path, text: object("Namespace", "stands-in") },
  }));
  expect(ordered({ crds })).toBe(lines`
    appSetup: Namespace stands-in
    app: ConfigMap settings`);
});

test("a dependency of the chart stays next to those of qvs", () => {
  const text = object(
    "Job",
    "late",
    ', namespace: other, annotations: {vs.axis-dev.io/dependsOn: "core:Secret::x"}',
  );
  expect(ordered({ hooks: [hook("late", ["post-install"], 0, { text })] })).toBe(lines`
    app: ConfigMap settings
    app: Job late after core:Secret::x, core:ConfigMap::shop/settings`);
});

test.each<[HookEvent[], string]>([
  [["pre-install"], "before"],
  [["pre-install", "post-upgrade"], "before"],
  [["post-install", "pre-upgrade"], "after"],
  [["pre-upgrade"], "before"],
  [["post-upgrade", "post-delete"], "after"],
  [["pre-delete"], "never"],
  [["post-rollback"], "never"],
  [["test"], "never"],
])("the events %j put a hook %s the others", (events, expected) => {
  expect(hookPhase({ events })).toBe(expected);
});

/** Returns one object of the result as JSON. */
function made(changed: Partial<RenderedChart>, stage: "app" | "appSetup"): Json {
  const placeOf = (file: string) => ({ file, line: 1, column: 1 });
  const context = { stage: "app", namespace: "x", crds: true, hidden: [], placeOf } as const;
  const result = chartObjects({ ...chart, ...changed }, context);
  const [first] = result.ok ? result.value.stages[stage] : [];
  return first === undefined ? null : toJson(first);
}

test("a Job runs again when something in the chart changes, and once per content", () => {
  expect(made({ hooks: [hook("a", ["pre-install"])] }, "appSetup")).toEqual({
    ...{ apiVersion: "batch/v1", kind: "Job" },
    metadata: {
      name: "a",
      annotations: {
        "vs.axis-dev.io/run-once": "true",
        "vs.axis-dev.io/allow": "job-runs-again",
      },
    },
    spec: {
      template: {
        metadata: {
          annotations: { "vs.axis-dev.io/chart-digest": expect.stringMatching(/^[0-9a-f]{16}$/) },
        },
      },
    },
  });
});

test.each([
  [["before-hook-creation"], undefined],
  [["hook-succeeded"], 3600],
  [["before-hook-creation", "hook-failed"], 3600],
])(
  "with the policies %j, the cluster deletes a finished Job after %s s",
  (deletePolicies, seconds) => {
    const job = made({ hooks: [hook("a", ["pre-install"], 0, { deletePolicies })] }, "appSetup");
    expect((job as { spec: Record<string, Json> }).spec["ttlSecondsAfterFinished"]).toBe(seconds);
  },
);

test("a hook keeps the values that its chart sets", () => {
  const text = object(
    "Job",
    "a",
    ", annotations: {vs.axis-dev.io/run-once: 'false'}",
    ", spec: {ttlSecondsAfterFinished: 5}",
  );
  const hooks = [hook("a", ["pre-install"], 0, { text, deletePolicies: ["hook-succeeded"] })];
  expect(made({ hooks }, "appSetup")).toMatchObject({
    metadata: { annotations: { "vs.axis-dev.io/run-once": "false" } },
    spec: { ttlSecondsAfterFinished: 5 },
  });
});

test.each([
  ["keep", "settings"],
  ["Keep ", "settings"],
  ["delete", undefined],
])("the resource policy %j sets keepOnDelete to %s", (policy, expected) => {
  const text = object(
    "ConfigMap",
    "settings",
    `, annotations: {helm.sh/resource-policy: "${policy}"}`,
  );
  const found = made({ manifests: [{ template: "web/templates/a.yaml", text }] }, "app");
  expect(textAt(found, "metadata", "annotations", "vs.axis-dev.io/keepOnDelete")).toBe(expected);
});

test("a rendered document that isn't an object is an error in its template", () => {
  expect(
    ordered({ manifests: [{ template: "web/templates/a.yaml", text: "{kind: X}" }] }),
  ).toBe(lines`
    web/templates/a.yaml:1:1: This document isn't a Kubernetes object
      missing: apiVersion, metadata
      → Correct the template, or the values that it uses`);
});

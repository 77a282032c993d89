import { beforeAll, expect, test } from "vitest";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import type { Compilation } from "../../../../src/model/sources/compilation.ts";
import { locateFindings } from "../../../../src/report/trace/locate-findings.ts";
import { type Adapters, compileTraced } from "../../../support/cue/compile-traced.ts";
import { compileWasm } from "../../../support/cue/open.ts";

const adapters: Adapters = {
  web: `DesignPattern: {
    parameters: {image: string, size: int, unit: string}
    resources: app: it: {
      metadata: name: "it"
      spec: {
        replicas: 2
        image: parameters.image
        room: "\\(parameters.size)\\(parameters.unit)"
      }
    }
  }`,
  tree: `import "test.example/web"
    DesignPattern: {
      parameters: {picture: string}
      composites: [{pattern: web.DesignPattern, params: {image: parameters.picture, size: 1, unit: "Gi"}}]
    }`,
};

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

const direct = '[{pattern: web, params: {image: "a:1", size: 1, unit: Gi}}]';

test.each([
  ["a field that an adapter writes itself", direct, ["spec", "replicas"], "web/web.cue:7"],
  ["a field made from one argument", direct, ["spec", "image"], "qvs.yaml:11 web/web.cue:8"],
  ["a field made from several arguments", direct, ["spec", "room"], "web/web.cue:9"],
  [
    "a field that a composite passes on",
    '[{pattern: tree, params: {picture: "a:1"}}]',
    ["spec", "image"],
    "qvs.yaml:11 web/web.cue:8",
  ],
  ["a field with nested fields", direct, ["spec"], "web/web.cue:7"],
  ["a field that is not declared", direct, ["spec", "strategy"], "the object"],
  ["no field", direct, undefined, "the object"],
] as const)("a finding about %s is reported at its place", (_, uses, path, expected) => {
  const compilation = compileTraced(module, adapters, uses);
  const object = { apiVersion: "v1", kind: "Web", namespace: "shop", name: "it" };
  const change = { key: "core:Web::shop/it", stage: "app", resource: "it" } as Change;
  const plan = { changes: [change] } as unknown as Plan;
  const finding = {
    ...({ code: "image-not-pinned", severity: "warning" } as const),
    ...{ what: "", why: "", fix: "" },
    ...{ object, path, where: [{ file: "the object", line: 0, column: 0 }] },
  };
  const [placed] = locateFindings([finding], plan, compilation);
  const places = placed?.where.map(({ file, line }) => (line === 0 ? file : `${file}:${line}`));
  expect(places?.join(" ")).toBe(expected);
});

test.each([
  ["overlay/kustomization.yaml", "overlay/kustomization.yaml:1 git.example/bases@v1/it.yaml:3"],
  ["adapters@v1/it.cue", "git.example/bases@v1/it.yaml:3"],
])("a finding about an object of %s also has its line in this repository", (file, expected) => {
  const at = [{ file: "git.example/bases@v1/it.yaml", line: 3, column: 1 }];
  const origin = { node: [0], at, made: [], decided: [], reads: [] };
  const field = { path: ["spec", "replicas"], origins: [origin] };
  const compilation = {
    layout: { composites: [] },
    trace: [{ resource: "app/it", fields: [field] }],
  } as unknown as Compilation;
  const object = { apiVersion: "v1", kind: "Web", namespace: "shop", name: "it" };
  const plan = { changes: [{ key: "core:Web::shop/it", stage: "app", resource: "it" }] };
  const finding = {
    ...({ code: "image-not-pinned", severity: "warning" } as const),
    ...{ what: "", why: "", fix: "", object, path: field.path },
    where: [{ file, line: 1, column: 1 }],
  };
  const [placed] = locateFindings([finding], plan as unknown as Plan, compilation);
  expect(placed?.where.map((place) => `${place.file}:${place.line}`).join(" ")).toBe(expected);
});

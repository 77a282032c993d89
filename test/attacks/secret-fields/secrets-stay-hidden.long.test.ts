import { beforeAll, expect, test } from "vitest";
import { toOutcomeReport } from "../../../src/action/reports/report-outcomes.ts";
import { describeFailures } from "../../../src/apply/failure/describe-failures.ts";
import { explainFailure } from "../../../src/apply/failure/explain-failure.ts";
import { failureDetail } from "../../../src/apply/summarize-run.ts";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import type { ApiFailure } from "../../../src/model/cluster/api/api-failure.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import { describeProblem } from "../../../src/model/problems/problem-text.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import { leafEntries } from "../../../src/model/sources/trace.ts";
import { dryRunProblems } from "../../../src/plan/changes/problems/dry-run-problems.ts";
import { canonicalOperations } from "../../../src/plan/digest.ts";
import { showableRejection } from "../../../src/redaction/showable-rejection.ts";
import {
  renderOutcomeSummary,
  renderOutcomes,
} from "../../../src/report/comment/outcome-comment.ts";
import { renderOutcomeText } from "../../../src/report/plans/outcome-text.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { buildReview } from "../../../src/report/review/build-review.ts";
import { explainFields } from "../../../src/report/trace/explain-fields.ts";
import { layoutJson, renderLayout } from "../../../src/report/trace/render-layout.ts";
import { shownTrace } from "../../../src/report/trace/shown-trace.ts";
import { fc } from "../../support/fast-check.ts";
import { base64, expectNone, marker } from "../../support/markers.ts";
import { renderComment, renderPage, renderSummary } from "../../support/report/rendered.ts";
import {
  commentInput,
  live,
  planned,
  shopCompilation,
  shopPlan,
  shopReport,
} from "../../support/shop/shop-report.ts";

const markers = fc.array(marker, { minLength: 8, maxLength: 8 });

/** Returns an object with all kinds of values that a Secret can get, valid or not. */
function secret(name: string, text: string, other: string, kind = "Secret"): KubeObject {
  return {
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "shop", annotations: { copy: text }, data: { other } },
    data: { encoded: base64(text), raw: text, nested: { [text]: text }, list: [text] },
    stringData: { pin: other, number: Number(other) || 0 },
    stringdata: { pin: text },
    spec: [{ data: other }],
  };
}

/** Spellings of the kind, and ways to hide it in another object. */
const kind = fc.oneof(
  fc.constantFrom("Secret", "Secret", "secret", "Secrets", "Secert", "MySecret", "SecretList"),
  fc.mixedCase(fc.constant("secret")),
  fc
    .tuple(fc.constantFrom(" ", "\u200b", "\u3164", "\u0435"), fc.nat(6))
    .map(([odd, place]) => `${"Secret".slice(0, place)}${odd}${"Secret".slice(place)}`),
);

test("in previews: in live, desired and predicted Secrets, in both commits, and in params", () => {
  fc.assert(
    fc.property(markers, kind, ([a = "", b = "", c = "", d = "", ...params], kind) => {
      const plan = shopPlan({ changes: changesOf(a, b, c, d, kind) });
      const [head, base] = [withSecret(c, params), withSecret(d, [...params].reverse())];
      for (const report of [
        shopReport({ plan, head, base }),
        shopReport({ plan: undefined, head, base: undefined }),
        shopReport({ plan: undefined, head, base }),
        // The adapter writes a Secret in one of the two commits only.
        shopReport({ plan: undefined, head: withoutSecret(head), base }),
        shopReport({ plan: undefined, head, base: withoutSecret(base) }),
      ]) {
        const input = commentInput(report);
        const output = [
          renderComment(input),
          renderSummary(input),
          renderPage(input, { hash: () => "" }),
          JSON.stringify(buildReview(input)),
          JSON.stringify(reportJson(report)),
          report.plan === undefined ? "" : renderPlanText(report.plan, undefined, [], report),
          report.plan === undefined ? "" : canonicalOperations("shop", report.plan.changes, []),
          ...[report.head, report.base].flatMap((each) => (each === undefined ? [] : traced(each))),
        ];
        expectNone([a, b, c, d, ...params], output.join("\n"));
      }
    }),
    { numRuns: 50 },
  );
});

test("in rejections by the API server, whatever they quote", () => {
  fc.assert(
    fc.property(marker, marker, refusal(), kind, (text, other, refuse, kind) => {
      const object = secret("db", text, other, kind);
      const failure = refuse(text, other);
      const problems = dryRunProblems(
        {
          id: idOf(object),
          key: "k",
          stage: "app",
          resource: "db",
          object,
          recreated: { object },
        } as never,
        live(object),
        failure,
      );
      const explained = explainFailure(failure, object);
      const detail = failureDetail(explained);
      const result = resultWith(detail, explained.fix);
      const outcome = toOutcomeReport(result, "deploy");
      const output = [
        ...problems.map((problem) => describeProblem(problem)),
        showableRejection(failure, object).message,
        describeProblem({ ...explained, where: [] }),
        detail,
        describeFailures(result.outcome.result),
        renderOutcomeText(outcome),
        renderOutcomes([outcome], "abc", undefined),
        renderOutcomeSummary([outcome], "abc", undefined),
      ];
      expectNone([text, other], output.join("\n"));
    }),
    { numRuns: 300 },
  );
});

test("in container logs, except in the run's own log", () => {
  fc.assert(
    fc.property(marker, (text) => {
      const outcome = toOutcomeReport(resultWith("not ready", "see the log", text), "deploy");
      expect(renderOutcomeText(outcome)).toContain("last log lines");
      const output =
        renderOutcomes([outcome], "abc", undefined) +
        renderOutcomeSummary([outcome], "abc", undefined);
      expectNone([text], output);
      expect(output).toContain("event on Pod shop/web-1: BackOff: again");
    }),
    { numRuns: 50 },
  );
});

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

/** Each way in which a param can be rejected, in an adapter that also puts it into a Secret. */
const refusals = [
  "parameters: a: int",
  'parameters: a: "x" | "y"',
  'parameters: a: =~"^x{5}$"',
  "parameters: a: [...string]",
  "parameters: {a: string, b: a}",
  'parameters: a: string, resources: app: s: data: x: parameters.a & "x"',
  "parameters: a: string, resources: app: s: data: x: parameters.a & parameters.b",
  "parameters: a: string, resources: app: s: data: (parameters.a): 5, resources: app: s: data: [string]: string",
  'parameters: a: string, resources: app: c: data: x: "url \\(parameters.a)" & =~"^x"',
  "parameters: a: string, resources: app: c: data: x: parameters.a & 5",
  "parameters: a: string, resources: app: c: data: x: {y: parameters.a} & [parameters.b]",
  "parameters: a: string, resources: app: {if parameters.a > 5 {d: {}}}",
  "parameters: a: string, composites: [{params: n: parameters.a, pattern: {parameters: n: int, resources: {}}}]",
];

test("in compilation problems, in params that can become a Secret's value", () => {
  fc.assert(
    fc.property(fc.constantFrom(...refusals), marker, marker, (refused, a, b) => {
      const problems = compile(refused, { a, b });
      expect(problems).not.toEqual([]);
      expectNone([a, b], problems.map((problem) => describeProblem(problem)).join("\n"));
    }),
    { numRuns: 60 },
  );
});

function compile(refused: string, params: JsonObject) {
  const adapter = `package a
    DesignPattern: {
      parameters: {a: _, b: string}
      resources: app: s: {apiVersion: "v1", kind: "Secret", metadata: name: "s", stringData: {a: "\\(parameters.a)", b: parameters.b}}
      resources: app: c: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "c"}
    }
    DesignPattern: {${refused}}`;
  const files = new Map([
    ["cue.mod/module.cue", 'module: "test.example"\nlanguage: version: "v0.12.0"\n'],
    ["a/main.cue", adapter],
  ]);
  const modules = [{ display: "", files: { in: "memory", files } as const }];
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const use = { pattern: "test.example/a", params: bound, group: undefined, where };
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  const result = compileConfig({ config, modules }, createCue(wasm, modules));
  return result.ok ? [] : result.problems;
}

/** Returns the output of `compile`, except the manifests. */
function traced(compilation: Compilation): readonly string[] {
  const { trace = [], layout } = compilation;
  return [
    renderLayout(compilation),
    JSON.stringify([layoutJson(layout), shownTrace(compilation)]),
    ...trace.map((each) => explainFields(compilation, each, each.fields)),
  ];
}

function changesOf(a: string, b: string, c: string, d: string, kind: string): readonly Change[] {
  const update = planned("app", "two", secret("two", a, b, kind), live(secret("two", c, d, kind)));
  const guessed = planned("app", "three", secret("three", a, b), live(secret("three", c, d)));
  return [
    planned("app", "one", secret("one", a, b, kind), undefined),
    { ...update, action: "update", predicted: secret("two", b, c, kind) },
    { ...guessed, action: "update", predicted: undefined },
  ];
}

/**
 * Returns a compilation of two adapters: one writes a Secret from params of any name, and the
 * params of the other are secret because of their names.
 */
function withSecret(text: string, params: readonly string[]): Compilation {
  const [any = "", password = "", nested = ""] = params;
  const shop = shopCompilation("1.5.0", "308a0d0c4c", "debug");
  const object = secret("one", text, text);
  const node = { name: "", file: "a.cue", line: 3, group: undefined, composites: [] };
  const writer = { ...node, pattern: "acme/secret", params: { any }, resources: ["app/one"] };
  const reader = {
    ...node,
    pattern: "acme/config",
    params: { dbPassword: password, db: { token: nested } },
    resources: ["app/two"],
  };
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two" } };
  // A difference between the commits, so that the object has a row.
  const data = { length: String(text.length), version: base64(String(params[0]?.length)) };
  return {
    ...shop,
    resources: [
      { type: "manifest", stage: "app", id: "one", object, dependsOn: [] },
      { type: "manifest", stage: "app", id: "two", object: { ...config, data }, dependsOn: [] },
    ],
    trace: [
      madeFrom("app/one", object, 0, ["any"]),
      madeFrom("app/two", { ...config, data }, 1, ["dbPassword", "db"]),
    ],
    layout: { ...shop.layout, composites: [writer, reader] },
  };
}

/**
 * Returns a trace in which every argument explains every field, so that only the redaction itself
 * hides a value.
 */
function madeFrom(resource: string, object: JsonObject, place: number, names: readonly string[]) {
  const made = names.map((name) => ({ name, at: undefined }));
  const origins = [{ node: [place], at: [], made, decided: [], reads: [] }];
  return { resource, fields: leafEntries(object).map(([path]) => ({ path, origins })) };
}

/** Returns the same compilation, with a resource that is no Secret in this commit. */
function withoutSecret(compilation: Compilation): Compilation {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: {} };
  const [, ...others] = compilation.resources;
  return {
    ...compilation,
    resources: [{ type: "manifest", stage: "app", id: "one", object, dependsOn: [] }, ...others],
  };
}

type Refuse = (text: string, other: string) => ApiFailure;

/** Generates rejections of a Secret by the API server, with its values in the message. */
function refusal(): fc.Arbitrary<Refuse> {
  const sentences: readonly Refuse[] = [
    (text) =>
      said("other", `.data.raw: expected string, got &value.valueUnstructured{Value:${text}}`),
    (text) => said("other", `.data.nested.${text}: expected string, got &{${text}}`),
    (text) => said("forbidden", `admission webhook "a.b" denied the request: ${text}`),
    (text) => said("forbidden", `secrets "db" is forbidden: ${text} cannot get resource "x"`),
    (text) => said("forbidden", `exceeded quota: ${text} does not support dry run`),
    (text) => said("invalid", text),
    (text) => said("conflict", `${text} conflict with "${text}"`),
    (text) => said("unknown-kind", text),
    (text) => said("unreachable", text),
    (text) => said("not-found", `${text} "x" not found`),
    (text) => said("unauthorized", text),
    (text) => said("expired", text),
    (text) => said("already-exists", text),
    (text, other) => ({
      ...said("invalid", text),
      causes: [
        cause("FieldValueInvalid", "data[raw]", `Invalid value: "${text}": ${other} is wrong`),
        cause("FieldValueNotSupported", `data.nested.${text}`, `Unsupported value: "${other}"`),
        cause("FieldValueInvalid", `stringData["${text}"]`, `field is immutable: ${other}`),
        cause("SomethingNew", "type", text),
      ],
    }),
    (text) => ({
      ...said("conflict", text),
      causes: [cause("FieldManagerConflict", ".data.raw", `conflict with "helm" ${text}`)],
    }),
  ];
  return fc.constantFrom(...sentences);
}

function said(reason: ApiFailure["reason"], message: string): ApiFailure {
  return { reason, status: 400, message, causes: [] };
}

function cause(reason: string, field: string, message: string) {
  return { reason, field, message };
}

function resultWith(what: string, fix: string, log?: string) {
  const key = keyOf({ group: "", kind: "Secret", namespace: "shop", name: "db" });
  const container = { name: "web", image: "web:1", running: true, waitingFor: "", message: "" };
  const warning = { about: "Pod shop/web-1", reason: "BackOff", message: "again", count: 1 };
  const ended = { exitCode: 1, exitReason: "Error", restarts: 1 };
  const evidence = {
    conditions: [],
    podCount: 1,
    warnings: [warning],
    pods: [
      {
        name: "web-1",
        phase: "Failed",
        scheduler: undefined,
        containers: [{ ...container, ...ended }],
        logs: { web: log ?? "" },
      },
    ],
  };
  const code = "not-ready" as const;
  const failure = { key, name: "Secret shop/db", resource: "db", code, what, fix };
  const result = {
    succeeded: false,
    results: [{ key, outcome: "failed", detail: what }],
    failures: [{ ...failure, evidence: log === undefined ? undefined : evidence }],
    stopped: undefined,
    stillServing: [],
  } as const;
  const deployment = { name: "shop", environment: undefined } as never;
  const release = { revision: 1, rollbackOf: undefined } as never;
  return {
    type: "done",
    deployment,
    outcome: {
      type: "deployed",
      plan: shopPlan(),
      release,
      result,
      isNewRelease: true,
      rollbackOf: undefined,
      previous: undefined,
    },
  } as const;
}

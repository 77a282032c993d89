import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import * as annotations from "../../src/model/annotations.ts";
import { failOnWords } from "../../src/model/problems/fail-on.ts";
import { findingCodes } from "../../src/model/problems/finding-codes.ts";
import { driftJson } from "../../src/report/drift/drift-json.ts";
import { protectedKinds } from "../../src/ssa/protection.ts";

/** Compares lists in the code with the sections of pages that document their items. */
const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Returns a section with its subsections, or the whole page without a heading. */
function section(path: string, heading?: string): string {
  if (heading === undefined) return read(path);
  const [, marks = "", rest = ""] =
    new RegExp(`^(#+) ${heading}\n([\\s\\S]*)`, "m").exec(read(path)) ?? [];
  const end = new RegExp(`^#{1,${marks.length}} `, "m").exec(rest)?.index;
  return rest.slice(0, end);
}

function namesIn(exports: object, suffix: string): readonly string[] {
  return Object.entries(exports).flatMap(([name, value]) =>
    name.endsWith(suffix) && typeof value === "string" ? [value] : [],
  );
}

function quoted(path: string, pattern: RegExp): readonly string[] {
  return [
    ...new Set(Array.from(read(path).matchAll(pattern), ([, name, other]) => name ?? other ?? "")),
  ];
}

const kindsWithRules = quoted(
  "src/apply/readiness/status/compute-status.ts",
  /^ {2}"[\w.]*\/(\w+)": \w+,$/gm,
);
const failOn = failOnWords.filter((word) => !Object.keys(findingCodes).includes(word));
/** Variables that GitHub and Kubernetes set. */
const ofPlaces = /^(?:GITHUB|KUBERNETES_SERVICE|ACTIONS|RUNNER)_|^HOME$/;
const variables = globSync("src/**/*.ts", { cwd: root })
  .flatMap((path) =>
    quoted(
      path,
      /\benv(?:\.|\[")([A-Z_]+)\b|\b(?=(?:QVS|POD)_[A-Z]|(?:NO|FORCE)_COLOR)([A-Z_]+)\b/g,
    ),
  )
  .filter((name) => !ofPlaces.test(name));

test.each([
  ["words of fail-on", failOn, "docs/reference/findings.md"],
  ["words of fail-on", failOn, "action.yml"],
  ["annotations", namesIn(annotations, "Annotation"), "docs/reference/annotations.md"],
  ["labels", namesIn(annotations, "Label"), "docs/reference/annotations.md", "Labels"],
  ["labels", namesIn(annotations, "Label"), "docs/reference/ownership.md", "Sent manifest"],
  [
    "protected kinds",
    [...protectedKinds.keys()],
    "docs/reference/deployment.md",
    "Protected kinds",
  ],
  ["protected kinds", [...protectedKinds.keys()], "action.yml"],
  ["kinds with a rule", kindsWithRules, "docs/reference/deployment.md", "Readiness"],
  ["metrics", quoted("src/controller/metrics.ts", /"(qvs_\w+)"/g), "docs/reference/reconcile.md"],
  [
    "outcomes",
    quoted("src/controller/metrics.ts", /^ {2}"(\w+)",$/gm),
    "docs/reference/reconcile.md",
    "Metrics",
  ],
  ["variables", variables, "docs/reference/cli.md", "Environment variables"],
])("%s %j are named in %s", (_, names, path, heading?: string) => {
  const text = section(path, heading);
  expect(names.length).toBeGreaterThan(3);
  expect([...new Set(names)].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

describe("docs/reference/drift.md", () => {
  const author = { manager: "kubectl-edit", operation: "Update", since: "2026-01-01T00:00:00Z" };
  const field = { path: "spec.replicas", by: author, live: 1, recorded: 2 };
  const finding = { code: "data-lost", severity: "error", what: "", why: "", fix: "", where: [] };
  const problem = { code: "lock-held", what: "", fix: "", where: [] };
  const json = driftJson([
    {
      ...{
        deployment: "shop",
        namespace: "shop",
        status: "drifted",
        release: 1,
        at: "",
        declared: 1,
      },
      objects: [
        {
          ...{ key: "", kind: "changed", stage: "app", fields: [field], recreates: ["spec"] },
          id: { group: "", kind: "ConfigMap", namespace: "shop", name: "a" },
          ...{ unsure: "why", createdBy: author, deletedSince: "" },
        },
      ],
      blockers: [problem],
      findings: [{ ...finding, object: {} }],
      notices: [problem],
    },
  ] as unknown as Parameters<typeof driftJson>[0]);

  it("has every field that qvs drift --format json writes", () => {
    const text = section("docs/reference/drift.md", "Format");
    const [deployment = {}] = json["deployments"] as readonly Record<string, unknown>[];
    const [object = {}] = deployment["objects"] as readonly Record<string, unknown>[];
    const [of = {}] = object["fields"] as readonly Record<string, unknown>[];
    const names = [json, deployment, object, of].flatMap((each) => Object.keys(each));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !new RegExp(`[\`.]${name}(?:\\[\\])?[\`.]`).test(text))).toEqual(
      [],
    );
  });
});

test("SECURITY.md has the number of lockfile entries without a hash", () => {
  const without = (path: string) => {
    const { packages } = JSON.parse(read(path)) as {
      packages: Record<string, { link?: boolean; integrity?: string }>;
    };
    return Object.entries(packages).filter(
      ([place, { link, integrity }]) => place.startsWith("node_modules/") && !link && !integrity,
    ).length;
  };
  const written = /(\d+) entries of package-lock\.json and (\d+) of docs\/package-lock\.json/;
  expect(written.exec(read("SECURITY.md"))?.slice(1).map(Number)).toEqual([
    without("package-lock.json"),
    without("docs/package-lock.json"),
  ]);
});

import { describe, expect, test } from "vitest";
import { combineUpstreamPlans } from "../../../../src/model/deployments/other-deployments.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";
import { phraseToText } from "../../../../src/redaction/phrase.ts";
import type { DeploymentReport } from "../../../../src/report/comment/comment-input.ts";
import {
  describeBriefly,
  describeVerdict,
} from "../../../../src/report/comment/describe-verdict.ts";
import { noticesTitle } from "../../../../src/report/comment/render-section.ts";
import { describeFacts, describeRisks } from "../../../../src/report/comment/risks.ts";
import { reviewDeployment } from "../../../../src/report/review/build-review.ts";
import { isPreexisting } from "../../../../src/report/review/preexisting-finding.ts";
import { reportOf } from "../../../support/report/report-of.ts";

const web = (replicas: number, image = "a:1", more = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: ${replicas}, ${more}template: {spec: {containers: [{name: web, image: "${image}"}]}}}
`;

const limits = "{apiVersion: v1, kind: LimitRange, metadata: {name: limits}, spec: {limits: []}}\n";

const service = (app: string) =>
  `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: ${app}}}}
`;

/** Returns an upstream deployment that creates these objects. */
function bringing(text: string) {
  const { plan } = reportOf({ base: "", head: text });
  return combineUpstreamPlans([{ deployment: "platform", plan: plan as Plan }]);
}

const finding = (changes: Partial<Finding> = {}): Finding => ({
  code: "rollout-slow",
  severity: "warning",
  object: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
  where: [],
  what: "Deployment shop/web: slow",
  why: "",
  fix: "",
  ...changes,
});

const problem = (code: Problem["code"], what: string): Problem => {
  const subjects = what.startsWith("Deployment ") ? [what.split(":", 1)[0] ?? ""] : undefined;
  return { code, subjects, what, fix: "", where: [] };
};

function recreated(
  fields: readonly string[],
  changes: Partial<DeploymentReport> = {},
  type: "recreate" | "orphan" = "recreate",
) {
  const report = reportOf({ base: web(3), head: web(3, "a:2") }, changes);
  const plan: Plan = {
    ...(report.plan as Plan),
    changes: (report.plan?.changes ?? []).map((change) => ({
      ...change,
      action: "replace",
      steps: [{ type, fields }, { type: "apply" }],
    })),
  };
  return { ...report, plan };
}

const risksOf = (report: DeploymentReport) => {
  const { stops, risks } = describeRisks(reviewDeployment(report), {
    now: undefined,
    isShort: false,
  });
  return { stops: stops.map(phraseToText), risks: risks.map(phraseToText) };
};

describe("the heading begins with the most severe verdict:", () => {
  const routine = { base: web(3), head: web(3, "a:2") };
  test.each<[string, DeploymentReport, string]>([
    ["a routine change", reportOf(routine), "🟢 Ready: shop-staging, 1 update"],
    [
      "a first deployment",
      reportOf({ head: web(3) }),
      "🟢 Ready: shop-staging, first deployment, 1 new object",
    ],
    [
      "fewer replicas",
      reportOf({ base: web(3), head: web(1) }),
      "⚠️ Needs review: shop-staging changes replicas: 3 → 1 in Deployment shop/web",
    ],
    [
      "a recreation",
      recreated(["spec.selector"]),
      "⚠️ Needs review: shop-staging deletes and recreates Deployment shop/web",
    ],
    [
      "a recreation whose Pods stay",
      recreated(["spec.volumeClaimTemplates"], {}, "orphan"),
      "⚠️ Needs review: shop-staging deletes and recreates Deployment shop/web, and its Pods stay",
    ],
    [
      "a deletion before fewer replicas",
      reportOf({ base: `${web(3)}---${web(3).replace("web}", "api}")}`, head: web(1) }),
      "⚠️ Needs review: shop-staging deletes Deployment shop/api",
    ],
    [
      "a warning",
      reportOf(routine, { findings: [finding()] }),
      "⚠️ Needs review: shop-staging, Deployment shop/web: slow rollout",
    ],
    [
      "an error before a warning",
      reportOf(routine, {
        findings: [finding(), finding({ code: "never-fits", severity: "error" })],
      }),
      "🛑 Blocked: shop-staging would fail at Deployment shop/web: Pods can't run",
    ],
    [
      "a blocker before an error",
      reportOf(routine, {
        findings: [finding({ severity: "error" })],
        blockers: [
          problem("field-conflict", "Deployment shop/web: spec.replicas belongs to others"),
          problem("lock-lost", "the lock is taken"),
        ],
      }),
      "🛑 Blocked: shop-staging at Deployment shop/web: field conflict, lock lost",
    ],
  ])("%s", (_, report, expected) => {
    expect(phraseToText(describeVerdict([reviewDeployment(report)]))).toBe(expected);
  });

  test("unchecked changes aren't shown as ready, and partial ones are counted", () => {
    const checked = reportOf({
      base: web(3),
      head: `${web(3, "a:2")}---${web(1).replace("web}", "api}")}`,
    });
    const unchecked = (number: number) => ({
      ...checked,
      plan: {
        ...(checked.plan as Plan),
        changes: (checked.plan?.changes ?? []).map((change, i) =>
          i < number
            ? { ...change, certainty: { by: "unchecked", reason: "patch is forbidden" } as const }
            : change,
        ),
      },
    });
    const headings = [0, 1, 2].map((number) =>
      phraseToText(describeVerdict([reviewDeployment(unchecked(number))])),
    );
    expect(headings).toEqual([
      "🟢 Ready: shop-staging, 1 new object, 1 update",
      "🟢 Ready: shop-staging, 1 new object, 1 update, 1 unchecked",
      "❓ Not checked: shop-staging, 1 new object, 1 update",
    ]);
  });

  test("only the most severe of several deployments is named, since a phone shows a few lines", () => {
    const sections = [
      reportOf(routine, { blockers: [problem("field-conflict", "Deployment shop/web: x")] }),
      reportOf({ base: web(3), head: web(0) }),
      reportOf(routine),
    ].map(reviewDeployment);
    expect(phraseToText(describeVerdict(sections))).toBe(
      "🛑 Blocked: shop-staging at Deployment shop/web: field conflict · 3 deployments: 1 blocked, 1 to review, 1 ready",
    );
  });

  test("a deployment that would start and then fail is reported as such", () => {
    const sections = [
      reportOf(routine, { findings: [finding({ severity: "error" })] }),
      reportOf(routine, { blockers: [problem("field-conflict", "Deployment shop/web: x")] }),
    ].map(reviewDeployment);
    expect(phraseToText(describeVerdict(sections))).toBe(
      "🛑 Blocked: shop-staging would fail at Deployment shop/web: slow rollout · 2 deployments",
    );
    expect(sections.map((section) => phraseToText(describeBriefly(section)))).toEqual([
      "would fail: slow rollout\nimage: a:1 → a:2\n1 update",
      "blocked: field conflict\nimage: a:1 → a:2\n1 update",
    ]);
  });
});

describe("a recreation", () => {
  test("shows the field that requires it and its effect", () => {
    expect(risksOf(recreated(["spec.selector"])).risks).toEqual([
      "Deletes and recreates Deployment shop/web because spec.selector can't be changed; it has no Pods until the new ones are ready",
    ]);
    expect(risksOf(recreated([])).risks).toEqual([
      "Deletes and recreates Deployment shop/web; it has no Pods until the new ones are ready",
    ]);
  });

  test("is reported once if a finding reports it", () => {
    const findings = [finding({ code: "immutable", what: "Deployment shop/web is recreated" })];
    expect(risksOf(recreated(["spec.selector"], { findings })).risks).toEqual([
      "Deployment shop/web is recreated\nCode immutable",
    ]);
  });
});

describe("deletions", () => {
  const object = (kind: string, name: string) =>
    `{apiVersion: v1, kind: ${kind}, metadata: {name: ${name}}}\n`;
  const maps = Array.from({ length: 9 }, (_, i) => object("ConfigMap", `a${i}`));
  const deletionOf = (...objects: readonly string[]) =>
    reportOf({ base: [web(3), ...objects].join("---\n"), head: web(3) });

  test("are listed by severity in the box, the heading and the list", () => {
    const report = deletionOf(
      object("ConfigMap", "settings"),
      object("Service", "web"),
      object("PersistentVolumeClaim", "data"),
    );
    expect(risksOf(report).risks).toEqual([
      "Deletes PersistentVolumeClaim shop/data: its data is lost, unless its volume is retained",
      "Deletes Service shop/web: its Pods can no longer be reached by this name",
      "Deletes ConfigMap shop/settings",
    ]);
    expect(phraseToText(describeVerdict([reviewDeployment(report)]))).toBe(
      "⚠️ Needs review: shop-staging deletes PersistentVolumeClaim shop/data, Service shop/web, ConfigMap shop/settings",
    );
    expect(reviewDeployment(report).rows.map(({ name }) => name)).toEqual([
      "PersistentVolumeClaim shop/data",
      "Service shop/web",
      "ConfigMap shop/settings",
    ]);
  });

  test("describe the effect of the most severe one if there are many", () => {
    expect(risksOf(deletionOf(...maps, object("PersistentVolumeClaim", "data"))).risks).toEqual([
      "Deletes PersistentVolumeClaim shop/data: its data is lost, unless its volume is retained",
      "Deletes 9 more objects: 9 ConfigMap",
    ]);
    const claims = Array.from({ length: 9 }, (_, i) => object("PersistentVolumeClaim", `c${i}`));
    const { risks } = risksOf(deletionOf(...maps, ...claims, object("Namespace", "all")));
    expect(risks).toHaveLength(8);
    expect(risks[0]).toBe("Deletes Namespace all: everything in it is deleted");
    expect(risks.at(-1)).toBe("Deletes 12 more objects: 3 PersistentVolumeClaim, 9 ConfigMap");
    expect(risksOf(deletionOf(...maps)).risks).toEqual(["Deletes 9 objects: 9 ConfigMap"]);
  });

  test("warn that data can be deleted with volumes and snapshots", () => {
    const kinds = ["PersistentVolume", "VolumeSnapshot", "VolumeSnapshotContent"];
    const { risks } = risksOf(deletionOf(...kinds.map((kind) => object(kind, "old"))));
    expect(risks).toHaveLength(3);
    for (const risk of risks) expect(risk).toMatch(/: its data can be deleted/);
  });
});

test("a danger that isn't from this pull request shows its source", () => {
  const source = (report: DeploymentReport) => {
    const section = reviewDeployment(report);
    const { risks } = describeRisks(section, { now, isShort: false });
    return [...risks, ...describeFacts(section, { now })].map(phraseToText);
  };
  const now = "2026-11-22T12:00:00Z";
  const by = (manager: string, yaml: string) =>
    yaml.replace(
      "{name: web",
      `{managedFields: [{manager: ${manager}, operation: Update, time: "2026-11-19T09:30:00Z", fieldsV1: {f:spec: {f:replicas: {}}}}], name: web`,
    );
  const image = "image: a:1 → a:2 in Deployment shop/web";
  const replicas = "replicas: 5 → 3 in Deployment shop/web";
  expect(source(reportOf({ base: web(3), head: web(3, "a:2") }))).toEqual([image]);
  expect(source(reportOf({ recorded: web(3), base: web(3, "a:2"), head: web(3, "a:2") }))).toEqual([
    `${image}; merged earlier, not deployed yet`,
  ]);
  const helm = by("helm", web(5));
  expect(source(reportOf({ base: web(3), head: web(3), recorded: "", live: helm }))).toEqual([
    `${replicas}; overwrites the value of another field manager (helm, 3 days ago)`,
  ]);
  expect(
    source(reportOf({ base: web(2), head: web(3), live: by("kubectl-edit", web(5)) })),
  ).toEqual([
    `${replicas}; overwrites the value of another field manager (kubectl-edit, 3 days ago)`,
  ]);
  const mirrored = (object: KubeObject) => ({
    ...object,
    spec: { template: { spec: { containers: [{ name: "web", image: "mirror/a:1" }] } } },
  });
  expect(
    source(reportOf({ base: web(3), head: web(3), predicted: { web: mirrored } })).at(-1),
  ).toMatch(/^image: a:1 → mirror\/a:1 in Deployment shop\/web; changed by the API server$/);
  expect(
    source(reportOf({ base: web(3), head: web(3), live: by("kubectl-edit", web(5)) })),
  ).toEqual([`${replicas}; reverts a manual change (kubectl-edit, 3 days ago)`]);
});

test("errors are listed separately from warnings", () => {
  const findings = [finding(), finding({ code: "never-fits", severity: "error", what: "bad" })];
  const report = reportOf({ base: web(3), head: web(3, "a:2") }, { findings });
  expect(risksOf(report)).toEqual({
    stops: ["bad\nNot caused by this pull request: the problem existed before.\nCode never-fits"],
    risks: [
      "Deployment shop/web: slow\nNot caused by this pull request: the problem existed before.\nCode rollout-slow",
    ],
  });
});

describe("the state before the pull request", () => {
  const image = {
    code: "image-not-pinned",
    path: "spec.template.spec.containers.0.image".split("."),
  } as const;
  test.each<[string, DeploymentReport, Partial<Finding>, boolean]>([
    ["a rollout of another image", reportOf({ base: web(3), head: web(3, "a:2") }), {}, true],
    ["a rollout of more replicas", reportOf({ base: web(3), head: web(4) }), {}, false],
    [
      "a rollout next to another new workload",
      reportOf({
        base: web(3),
        head: `${web(3, "a:2")}---${web(3).replace("name: web}", "name: api}")}`,
      }),
      {},
      false,
    ],
    [
      "a rollout next to a new limit",
      reportOf({ base: web(3), head: `${web(3, "a:2")}---\n${limits}` }),
      {},
      false,
    ],
    [
      "a rollout after a deployment that adds a limit",
      reportOf({ base: web(3), head: web(3, "a:2") }, { earlier: bringing(limits) }),
      {},
      false,
    ],
    [
      "a rollout after a deployment that adds something else",
      reportOf({ base: web(3), head: web(3, "a:2") }, { earlier: bringing(web(3)) }),
      {},
      true,
    ],
    ["an object that is new", reportOf({ base: "", head: web(4) }), {}, false],
    ["an image that stays", reportOf({ base: web(3), head: web(4) }), image, true],
    ["an image that changes", reportOf({ base: web(3), head: web(3, "a:2") }), image, false],
    ["a finding without a base", reportOf({ recorded: web(3), head: web(3, "a:2") }), {}, false],
    [
      "an unready object that qvs waits for",
      reportOf({ base: web(3), head: web(3) }),
      { code: "not-ready" },
      true,
    ],
    [
      "an unready object that changes",
      reportOf({ base: web(3), head: web(4) }),
      { code: "not-ready" },
      false,
    ],
    [
      "requests that every new image loses",
      reportOf({ base: web(3), head: web(3, "a:2") }),
      { code: "requests-lost" },
      true,
    ],
    [
      "requests that other replicas lose",
      reportOf({ base: web(3), head: web(1, "a:2") }),
      { code: "requests-lost" },
      false,
    ],
    [
      "requests that a changed Service sends",
      reportOf({
        base: `${web(3)}---\n${service("api")}`,
        head: `${web(3, "a:2")}---\n${service("web")}`,
      }),
      { code: "requests-lost" },
      false,
    ],
    [
      "a finding that depends on other objects",
      reportOf({ base: web(3), head: web(3, "a:2") }),
      { code: "missing-dependency", path: ["spec", "template", "metadata"] },
      false,
    ],
  ])("%s", (_, report, changes, expected) => {
    expect(isPreexisting(finding(changes), report)).toBe(expected);
  });
});

test("the title of folded notices shows their subjects", () => {
  const report = reportOf(
    { base: web(3), head: web(3, "a:2") },
    {
      findings: [
        finding({ severity: "note", code: "image-not-pinned" }),
        finding({ severity: "note", code: "image-not-pinned" }),
        finding({ allowed: { where: [] } }),
      ],
    },
  );
  expect(noticesTitle(reviewDeployment(report))).toBe(
    "3 notices: image not pinned, slow rollout (allowed)",
  );
});

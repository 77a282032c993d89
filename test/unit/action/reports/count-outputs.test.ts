import { expect, test } from "vitest";
import {
  countOutcome,
  deployedPlan,
  onlyApplicationUrl,
  previewOutputs,
  resultOutputs,
} from "../../../../src/action/reports/count-outputs.ts";
import type { DeploymentOutcome } from "../../../../src/commands/several/deploy-changed.ts";
import { keepOnDeleteAnnotation } from "../../../../src/model/annotations.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Compilation, Resource } from "../../../../src/model/sources/compilation.ts";
import { missingResult } from "../../../../src/report/result-file.ts";
import { reviewDeployment } from "../../../../src/report/review/build-review.ts";
import {
  configMap,
  service,
  shopDeployment,
  shopPlan,
  shopReport,
} from "../../../support/shop/shop-report.ts";

/** Returns the numbers of objects to create, update, replace and delete. */
function counted(outputs: ReturnType<typeof previewOutputs>): string {
  const names = ["to-create", "to-update", "to-replace", "to-delete"];
  const numbers = names.map((name) => outputs[name] ?? "?").join(" ");
  return `${numbers}, changed ${outputs.changed ?? "?"}, deletes ${outputs["has-deletions"] ?? "?"}`;
}

const withoutCluster = {
  plan: undefined,
  clusterState: { compared: false, because: "no kubeconfig was given" },
} as const;

function compilation(...resources: readonly Resource[]): Compilation {
  return {
    resources,
    pulumi: undefined,
    layout: shopReport().head?.layout as never,
    trace: [],
    warnings: [],
    inputs: [],
  };
}

function manifest(id: string, object: KubeObject): Resource {
  return { type: "manifest", stage: "app", id, object, dependsOn: [] };
}

function foreign(id: string, version: string): Resource {
  return {
    type: "foreign",
    stage: "app",
    id,
    provider: "helm",
    content: { version },
    dependsOn: [],
  } as unknown as Resource;
}

const kept: KubeObject = {
  ...configMap("a", "info"),
  metadata: {
    ...configMap("a", "info").metadata,
    annotations: { [keepOnDeleteAnnotation]: "config" },
  },
};

test.each([
  [
    "nothing differs",
    [manifest("s", service())],
    [manifest("s", service())],
    "0 0 0 0, changed false, deletes false",
  ],
  ["a new object", [], [manifest("s", service())], "1 0 0 0, changed true, deletes false"],
  ["a removed object", [manifest("s", service())], [], "0 0 0 1, changed true, deletes true"],
  [
    "a different value",
    [manifest("c", configMap("a", "info"))],
    [manifest("c", configMap("a", "debug"))],
    "0 1 0 0, changed true, deletes false",
  ],
  [
    "a name with another hash",
    [manifest("c", configMap("a", "info"))],
    [manifest("c", configMap("b", "debug"))],
    "1 0 0 1, changed true, deletes true",
  ],
  [
    "a new name next to the kept old object",
    [manifest("c", kept)],
    [manifest("c", configMap("b", "debug"))],
    "1 0 0 0, changed true, deletes false",
  ],
  ["a removed kept object", [manifest("c", kept)], [], "0 0 0 0, changed false, deletes false"],
  [
    "a difference only in hidden values",
    [foreign("h", "1")],
    [foreign("h", "2")],
    "0 0 0 0, changed false, deletes false",
  ],
] as const)(
  "without a cluster, the outputs count %s between the commits",
  (_, base, head, expected) => {
    const report = shopReport({
      ...withoutCluster,
      base: compilation(...base),
      head: compilation(...head),
    });
    expect(counted(previewOutputs({ deployments: [reviewDeployment(report)] }))).toBe(expected);
  },
);

test("a new deployment creates everything", () => {
  const report = shopReport({ ...withoutCluster, base: undefined });
  expect(counted(previewOutputs({ deployments: [reviewDeployment(report)] }))).toBe(
    "3 0 0 0, changed true, deletes false",
  );
});

test("with a cluster, the outputs count the changes of the plan", () => {
  const outputs = previewOutputs({ deployments: [reviewDeployment(shopReport())] });
  expect(counted(outputs)).toBe("1 1 0 1, changed true, deletes true");
  expect(outputs["plan-digest"]).toBe(shopPlan().digest);
});

const broken = shopReport({
  ...withoutCluster,
  head: undefined,
  problems: [{ code: "invalid-cue", where: [], what: "It does not compile", fix: "Mend it" }],
});
const unchanged = shopReport({ plan: shopPlan({ changes: [], deletions: [] }) });

test("the changes of a deployment that doesn't compile are unknown, not zero", () => {
  expect(counted(previewOutputs({ deployments: [broken].map(reviewDeployment) }))).toBe(
    "? ? ? ?, changed ?, deletes ?",
  );
  expect(counted(previewOutputs({ deployments: [broken, unchanged].map(reviewDeployment) }))).toBe(
    "? ? ? ?, changed ?, deletes ?",
  );
  expect(
    counted(previewOutputs({ deployments: [broken, shopReport()].map(reviewDeployment) })),
  ).toBe("? ? ? ?, changed true, deletes true");
});

const deployment = shopDeployment();
const done = {
  type: "done",
  deployment,
  outcome: { type: "deployed", plan: shopPlan() },
} as unknown as DeploymentOutcome;
const superseded = {
  type: "done",
  deployment,
  outcome: { type: "superseded" },
} as unknown as DeploymentOutcome;
const refused: DeploymentOutcome = { type: "refused", deployment, problems: [] };

function outputsOf(...outcomes: readonly DeploymentOutcome[]) {
  const { outcome } = missingResult("shop");
  return resultOutputs(
    outcomes.map((each) => ({
      outcome,
      changes: countOutcome(each),
      digest: deployedPlan(each)?.digest,
    })),
  );
}

test("a deployment reports the number of changes in its plan", () => {
  const outputs = outputsOf(done);
  expect(counted(outputs)).toBe("1 1 0 1, changed true, deletes true");
  expect(outputs["plan-digest"]).toBe(shopPlan().digest);
  expect(outputsOf(done, done)["plan-digest"]).toBe("");
  expect(counted(outputsOf())).toBe("0 0 0 0, changed false, deletes false");
});

test("a blocked deployment has unknown changes", () => {
  expect(counted(outputsOf(refused))).toBe("? ? ? ?, changed ?, deletes ?");
  expect(counted(outputsOf(refused, done))).toBe("? ? ? ?, changed true, deletes true");
});

test("a late run has changed nothing", () => {
  expect(counted(outputsOf(superseded))).toBe("0 0 0 0, changed false, deletes false");
});

const reviews = (...reports: Parameters<typeof reviewDeployment>[0][]) =>
  reports.map((report) => reviewDeployment(report));

test.each([
  ["harmless changes", { deployments: reviews(shopReport()) }, "ready"],
  ["no change", { deployments: reviews(unchanged) }, "no-change"],
  ["no deployment", { deployments: [] }, "no-change"],
  ["a deployment that doesn't compile", { deployments: reviews(unchanged, broken) }, "blocked"],
  ["a check that fails", { deployments: reviews(unchanged), failed: true }, "blocked"],
  ["an invalid list", { deployments: [], previewProblems: broken.problems }, "blocked"],
] as const)("the outcome of a preview with %s", (_, review, expected) => {
  expect(previewOutputs(review).outcome).toBe(expected);
});

const ended = { ...missingResult("shop").outcome, succeeded: true };
const failure = { ...ended, succeeded: false };

test.each([
  ["no-change", []],
  ["no-change", [{ ...ended, unchanged: true }]],
  ["no-change", [{ ...ended, superseded: "A newer commit is deployed" }]],
  ["deployed", [{ ...ended, unchanged: true }, ended]],
  ["superseded", [{ ...failure, gaveWay: true }, ended]],
  ["failed", [failure, { ...failure, gaveWay: true }]],
  ["canceled", [failure, { ...failure, cancelled: true }]],
] as const)("a run is %s", (expected, outcomes) => {
  const results = outcomes.map((outcome) => ({ outcome, changes: undefined, digest: undefined }));
  expect(resultOutputs(results).outcome).toBe(expected);
});

function deployed(...urls: readonly string[]): DeploymentOutcome {
  const changes = urls.map((url) => ({
    desired: { metadata: { annotations: { "vs.axis-dev.io/url": url } } },
  }));
  const outcome = { type: "deployed", plan: { changes } };
  return { type: "done", deployment: shopDeployment(), outcome } as unknown as DeploymentOutcome;
}

test.each([
  ["no deployment", [], undefined],
  ["no address", [deployed()], undefined],
  [
    "the first address of one",
    [deployed("https://a.example", "https://b.example")],
    "https://a.example",
  ],
  [
    "the same address",
    [deployed("https://a.example"), deployed("https://a.example")],
    "https://a.example",
  ],
  ["several addresses", [deployed("https://a.example"), deployed("https://b.example")], undefined],
  ["not an address", [deployed("javascript:alert(1)"), deployed("https://a b")], undefined],
])("the address of an environment: %s", (_, all, expected) => {
  expect(onlyApplicationUrl(all)).toBe(expected);
});

import { expect, test } from "vitest";
import { defaultRequest } from "../../../../src/model/deployments/deploy-request.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan, Step } from "../../../../src/model/plan/plan.ts";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";
import type { DesiredState } from "../../../../src/planning/desired-state.ts";
import type {
  ExecutablePlan,
  PlannedDeployment,
} from "../../../../src/planning/planned-deployment.ts";
import type { PlanningContext } from "../../../../src/planning/planning-context.ts";
import {
  needsPrediction,
  previewRollback,
} from "../../../../src/planning/rollback/preview-rollback.ts";
import { rememberAnswers } from "../../../../src/planning/rollback/remember-answers.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import {
  changeBetween,
  deletionOf,
  objectFrom,
  planWith,
} from "../../../support/plan/change-between.ts";
import { release } from "../../../support/plan/release-from.ts";

const service = (value: string) =>
  objectFrom(
    `{apiVersion: v1, kind: Service, metadata: {namespace: shop, name: a}, spec: {sessionAffinity: "${value}"}}`,
  );
const set = objectFrom(
  "{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: db}, spec: {volumeClaimTemplates: [{metadata: {name: data}}], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}",
);
const extra = objectFrom("{apiVersion: v1, kind: Namespace, metadata: {name: extra}}");

const forward = planWith({ changes: [changeBetween(service("1"), service("2"))] });
const backward = planWith({ changes: [changeBetween(service("2"), service("1"))] });

const recorded = {
  ...createReleaseHistory([release(3, "succeeded", { names: ["a"] })]),
  ...{ secrets: [], unreadable: [], next: 4 },
};

function planned(plan: Plan, findings: readonly Finding[] = []): ExecutablePlan {
  const source = { commit: "c0ffee", actor: undefined, run: undefined };
  return { executable: true, plan, expandedConfig: [], recorded, source, findings } as never;
}

function blocked(plan: Plan | undefined, ...blockers: readonly Problem[]): PlannedDeployment {
  return { executable: false, plan, recorded, blockers, findings: [] } as never;
}

const problem = (what: string, more: Partial<Problem> = {}): Problem => ({
  ...{ code: "invalid-object", what, fix: "Change it", where: [] },
  ...more,
});

function finding(
  code: Finding["code"],
  severity: Finding["severity"],
  object: KubeObject,
): Finding {
  const { apiVersion, kind, metadata } = object;
  const { namespace = "", name } = metadata as Readonly<Record<string, string>>;
  const address = { apiVersion, kind, namespace, name: name ?? "" };
  return { code, severity, object: address, what: `${code}`, why: "", fix: "", where: [] };
}

interface Situation {
  readonly plan?: Plan;
  readonly known?: readonly Finding[];
  /** The plans of the rollback: without flags, then with every flag. */
  readonly undo: readonly PlannedDeployment[];
  readonly underLock?: boolean;
  readonly keepReleases?: number;
}

async function preview({
  plan = forward,
  known = [],
  undo,
  underLock = false,
  keepReleases,
}: Situation) {
  const contexts: PlanningContext[] = [];
  const context = {
    ...{
      request: { ...defaultRequest, keepReleases },
      cluster: fakeCluster(),
      now: "2026-01-02T03:04:05.000Z",
    },
    deployment: { name: "shop", namespace: "shop" },
    dryRunLock: underLock ? undefined : async () => undefined,
  } as unknown as PlanningContext;
  const desired = {
    ...{ manifests: [], unsupported: [], input: { config: "", params: {}, modules: [] } },
    layout: release(3, "succeeded").layout,
  } as unknown as DesiredState;
  const plans = [...undo];
  const rollback = await previewRollback(
    context,
    { planned: planned(plan, known), desired, memory: rememberAnswers(context.cluster) },
    async (given) => {
      contexts.push(given);
      return plans.shift() ?? blocked(undefined, problem("no further plan"));
    },
  );
  return { rollback, contexts };
}

test("a rollback that needs no flag is possible", async () => {
  const { rollback, contexts } = await preview({ undo: [planned(backward)] });
  expect(rollback).toEqual({
    ...{ to: 3, possible: true, objects: 1, lost: [], reasons: [], notes: [], needs: [] },
  });
  expect(contexts.map(({ omitsFindings }) => omitsFindings)).toEqual([undefined]);
});

test("an input with several values is named once", async () => {
  const needs = (...inputs: readonly string[]) => problem("needs it", { inputs });
  const blockers = [
    needs("allow-irreversible: true"),
    needs("allow-delete: Namespace"),
    needs("allow-delete: everything"),
    needs("allow-delete: Namespace"),
  ];
  const { rollback } = await preview({
    undo: [blocked(backward, ...blockers), planned(backward)],
  });
  expect(rollback?.needs).toEqual([
    "allow-delete: Namespace,everything",
    "allow-irreversible: true",
  ]);
});

test("the blockers without flags name the flags", async () => {
  const inputs = ["allow-irreversible: true"];
  const { rollback } = await preview({
    undo: [blocked(backward, problem("needs it", { inputs })), planned(backward)],
  });
  expect(rollback).toMatchObject({ possible: true, needs: inputs });
});

test("a blocker that no flag removes makes the rollback impossible", async () => {
  const blocker = problem("data is immutable");
  const undo = [blocked(backward, blocker), blocked(backward, blocker)];
  const { rollback } = await preview({ undo });
  expect(rollback).toMatchObject({ possible: false, reasons: [{ what: "data is immutable" }] });
});

test("a blocker that quotes a missing answer leaves the rollback open", async () => {
  const why = "qvs asks the cluster nothing for the preview of a rollback";
  const blocker = problem("can't be read", { why });
  const undo = [blocked(backward, blocker), blocked(backward, blocker)];
  const { rollback } = await preview({ undo });
  expect(rollback?.possible).toBe(undefined);
  expect(rollback?.reasons).toMatchObject([{ what: "can't be read" }]);
  const certain = problem("is immutable");
  const both = [blocked(backward, blocker), blocked(backward, blocker, certain)];
  const { rollback: impossible } = await preview({ undo: both });
  expect(impossible).toMatchObject({ possible: false, reasons: [{ what: "is immutable" }] });
});

test("contents that qvs can't read leave the rollback open", async () => {
  const contents = { objects: [], unread: [{ kind: "Secret", why: "forbidden" }] };
  const plan = planWith({ deletions: [deletionOf(extra, { contents })] });
  const { rollback } = await preview({ plan, undo: [planned(backward)] });
  expect(rollback?.possible).toBe(undefined);
  expect(rollback?.reasons[0]?.what).toContain("Namespace extra");
});

test("lost claims are reported even if the deployment reports them, too", async () => {
  const plan = planWith({ deletions: [deletionOf(set)] });
  const known = [finding("data-lost", "warning", set)];
  const undo = [planned(backward, [finding("data-lost", "error", set)])];
  const { rollback } = await preview({ plan, known, undo });
  expect(rollback?.lost).toMatchObject([{ what: "data-lost" }]);
  const same = await preview({ plan, known: [finding("data-lost", "error", set)], undo });
  expect(same.rollback?.lost).toHaveLength(1);
});

test("a finding of the deployment doesn't hide a worse one of the rollback", async () => {
  const undo = () => [planned(backward, [finding("rollout-deadlock", "error", set)])];
  const warned = await preview({
    known: [finding("rollout-deadlock", "warning", set)],
    undo: undo(),
  });
  expect(warned.rollback?.possible).toBe(false);
  const failing = await preview({
    known: [finding("rollout-deadlock", "error", set)],
    undo: undo(),
  });
  expect(failing.rollback?.possible).toBe(true);
});

test("claims that the deployment itself creates are no present loss", async () => {
  const undo = [planned(backward, [finding("data-lost", "warning", set)])];
  expect((await preview({ undo })).rollback?.lost).toEqual([]);
});

test("under the lock, qvs predicts no findings and reports no missing answer", async () => {
  const { rollback, contexts } = await preview({ underLock: true, undo: [planned(backward)] });
  expect(rollback?.possible).toBe(true);
  expect(contexts.map(({ omitsFindings }) => omitsFindings)).toEqual([true]);
  const why = "qvs asks the cluster nothing for the preview of a rollback";
  const unread = blocked(undefined, problem("can't be read", { why }));
  const open = await preview({ underLock: true, undo: [unread, unread] });
  expect(open.rollback).toBe(undefined);
});

test("a deployment that keeps only its own release can't be undone", async () => {
  const { rollback } = await preview({ keepReleases: 1, undo: [planned(backward)] });
  expect(rollback).toMatchObject({
    possible: false,
    reasons: [{ what: "The deployment deletes release 3", why: "qvs keeps only its own release" }],
  });
  const kept = await preview({ keepReleases: 2, undo: [planned(backward)] });
  expect(kept.rollback?.possible).toBe(true);
});

test("a plan that changes nothing has no rollback", async () => {
  const { rollback } = await preview({ plan: planWith({}), undo: [planned(backward)] });
  expect(rollback).toBe(undefined);
});

test("a deployment predicts its rollback if it deletes, replaces or takes something", () => {
  const withSteps = (...steps: readonly Step[]) =>
    planWith({ changes: [changeBetween(service("1"), service("2"), { steps })] });
  expect(needsPrediction(withSteps({ type: "apply" }))).toBe(false);
  expect(needsPrediction(withSteps({ type: "force", conflicts: [] }))).toBe(true);
  expect(needsPrediction(withSteps({ type: "recreate", fields: ["spec"] }))).toBe(true);
  expect(needsPrediction(planWith({ deletions: [deletionOf(extra)] }))).toBe(true);
});

import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import type {
  OtherDeclarations,
  UpstreamDeployments,
} from "../../../src/model/deployments/other-deployments.ts";
import type {
  History,
  InventoryEntry,
  LiveObjects,
} from "../../../src/model/deployments/release.ts";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { type KubeObject, nameOf } from "../../../src/model/object.ts";
import type { Certainty, Plan } from "../../../src/model/plan/plan.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import type { CapabilityAnswer, Stage } from "../../../src/model/sources/compilation.ts";
import { computeDesired } from "../../../src/plan/compute-desired.ts";
import type { OwnedObjects } from "../../../src/plan/deletions/also-deleted.ts";
import type { HoldingsByKey } from "../../../src/plan/deletions/deletion-order.ts";
import type { WorkloadsByNamespace } from "../../../src/plan/deletions/kept-objects.ts";
import { objectsToDryRun } from "../../../src/plan/dry-runs.ts";
import type { PlanRules } from "../../../src/plan/plan-input.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { finalInventory } from "../../../src/releases/inventory.ts";
import { retirementReason } from "../../../src/report/plans/plan-text.ts";
import { declare, manifestsFrom, placement, problemText } from "./declare.ts";
import { executablePlan } from "./executable-plan.ts";
import { applied, appliedFrom } from "./live.ts";
import { resultOf } from "./steps.ts";

export interface Situation {
  /** The manifests of earlier releases. Their objects are in the inventory and live. */
  readonly before?: string;
  readonly declared: string;
  /** More live objects. They override those of `before`. */
  readonly live?: LiveObjects;
  /** Keys of objects in `before` that no longer exist. */
  readonly gone?: readonly string[];
  readonly inventory?: readonly InventoryEntry[];
  /** The answers to dry-runs, by key. Default: the API server accepts each object. */
  readonly answers?: Readonly<Record<string, ApiResult<KubeObject>>>;
  readonly allowDelete?: readonly string[];
  readonly keepRevisions?: number;
  readonly history?: History;
  readonly users?: WorkloadsByNamespace;
  readonly holdings?: HoldingsByKey;
  readonly purpose?: "preview" | "deploy";
  readonly onlyStage?: Stage;
  readonly deletes?: true;
  readonly goesBack?: boolean;
  readonly owned?: OwnedObjects;
  readonly onlyKeys?: readonly string[];
  readonly corrects?: boolean;
  readonly elsewhere?: readonly OtherDeclarations[];
  readonly earlier?: UpstreamDeployments;
  readonly capabilities?: readonly CapabilityAnswer[];
  readonly hides?: readonly string[];
  /** Hashes texts in digests. By default, they stay readable. */
  readonly hash?: (text: string) => string;
}

const noHistory = objectHistory(emptyHistory);

/** Runs the steps of a deployment up to the plan. */
export function planOf(situation: Situation): Result<Plan> {
  const { before = "", declared, gone = [], answers = {} } = situation;
  const live = new Map([...appliedFrom(before), ...(situation.live ?? [])]);
  for (const key of gone) live.delete(key);
  const { history = noHistory, users = new Map() } = situation;
  const inventory = situation.inventory ?? inventoryFrom(before);
  const rules = rulesOf(situation);
  const desired = computeDesired(declare(declared), { live, history }, rules);
  if (!desired.ok) return desired;
  const asked = objectsToDryRun(rules.deployment, desired.value, live, rules);
  const dryRuns = new Map(
    asked.map((object) => {
      const answer = answers[object.key] ?? accepted(object, live);
      return [object.key, resultOf(answer, { ...rules, ...object }, live.get(object.key))];
    }),
  );
  const { holdings, owned, elsewhere } = situation;
  const facts = { live, inventory, history, users, dryRuns };
  const observed = { ...facts, owned, holdings, elsewhere };
  return executablePlan({ rules, desired: desired.value, observed });
}

/** Returns the plan, or throws if there is none. */
export function requirePlan(situation: Situation): Plan {
  const planned = planOf(situation);
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  return planned.value;
}

/** Returns the rules of a deployment with default flags. */
export function rulesOf(situation: Partial<Situation> = {}): PlanRules {
  return {
    ...placement,
    isOtherSource: false,
    adopt: false,
    policy: {
      allowDelete: situation.allowDelete ?? [],
      conflicts: { force: false, takeover: [] },
      keepRevisions: situation.keepRevisions,
    },
    purpose: situation.purpose ?? "deploy",
    dryRuns: "all",
    recorded: false,
    onlyStage: situation.onlyStage,
    deletes: situation.deletes,
    isRollback: situation.goesBack,
    corrects: situation.corrects,
    upstream: situation.earlier,
    onlyKeys: situation.onlyKeys && new Set(situation.onlyKeys),
    ...{ capabilities: situation.capabilities, hides: situation.hides },
    hash: situation.hash ?? ((text) => `hash of ${text}`),
  };
}

function accepted(object: Parameters<typeof applied>[0], live: LiveObjects): ApiResult<KubeObject> {
  const predicted = applied(object);
  const uid = live.get(object.key)?.metadata.uid ?? predicted.metadata.uid ?? "";
  return { ok: true, value: { ...predicted, metadata: { ...predicted.metadata, uid } } };
}

/** Returns the inventory that a successful deployment of these manifests records. */
export function inventoryFrom(manifests: string): readonly InventoryEntry[] {
  if (manifestsFrom(manifests).length === 0) return [];
  const plan = planOf({ declared: manifests });
  if (!plan.ok) throw new Error(problemText(plan.problems));
  return finalInventory([], plan.value, []);
}

/** Returns a plan as readable text. */
export function planText(result: Result<Plan>): string {
  if (!result.ok) return problemText(result.problems);
  const { changes, deletions, kept, awaited = [], notices } = result.value;
  return [
    ...changes.map(
      ({ action, stage, id, certainty }) =>
        `${action} ${nameOf(id)} (${stage}, ${certaintyText(certainty)})`,
    ),
    ...awaited.map(({ id }) => `await ${nameOf(id)}`),
    ...deletions.flatMap(({ id, stage, after, prunedRevision: retires }) => [
      `delete ${nameOf(id)} (${stage}${retires === undefined ? "" : `, ${retirementReason(retires)}`})`,
      ...after.map(({ on, reason }) => `  after ${on}: ${reason}`),
    ]),
    ...kept.map(({ id, why, detail }) => `keep ${nameOf(id)} (${why}: ${detail})`),
    ...notices.map(({ what }) => `notice: ${what}`),
  ].join("\n");
}

function certaintyText(certainty: Certainty): string {
  return certainty.by === "unchecked" ? `unchecked: ${certainty.reason}` : certainty.by;
}

import pLimit from "p-limit";
import pMap from "p-map";
import {
  customResourceNamespaces,
  readContents,
  readProducts,
} from "../apply/deletion/read-dependents.ts";
import { describeRemaining } from "../apply/deletion/read-remaining.ts";
import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import { discoveryProblem } from "../model/cluster/api/served-apis.ts";
import { isBeingDeleted, type PendingDeletion } from "../model/cluster/pending-deletion.ts";
import type { History, InventoryEntry, LiveObjects } from "../model/deployments/release.ts";
import { type KubeObject, keyOf, withMetadata } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import type { Manifest } from "../model/sources/compilation.ts";
import { allDeclared, buildPlan } from "../plan/build-plan.ts";
import { computeDesired } from "../plan/compute-desired.ts";
import { declareObjects, kindsToDiscover } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import { recreatedObjects } from "../plan/deletions/also-deleted.ts";
import type { HoldingsByKey } from "../plan/deletions/deletion-order.ts";
import { findOrphans, holdersToDelete, keptNamespaces } from "../plan/deletions/plan-deletions.ts";
import { objectsForTrialNamespace, objectsToDryRun, trialNamespace } from "../plan/dry-runs.ts";
import { environmentProblems } from "../plan/environment-limits.ts";
import type { Desired, PlanDecision, PlanRules } from "../plan/plan-input.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { foreignProtection } from "../ssa/protection.ts";
import { dryRunObjects } from "./dry-run-objects.ts";
import { readLive } from "./live/read-live.ts";
import { readNullRules } from "./live/read-null-rules.ts";
import { listWorkloads, readOwned } from "./live/read-owned.ts";
import { readClaimGrowth, readOrphanedReplicas } from "./live/read-stateful-sets.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The rules, manifests and records that a plan is prepared from. */
export interface PlanBasis {
  readonly rules: PlanRules;
  readonly manifests: readonly Manifest[];
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
  readonly concurrency: number;
  /** Returns the objects that other deployments declare; undefined if no other is known. */
  readonly declaredElsewhere?: PlanningContext["declaredElsewhere"];
}

/**
 * A plan, and the declared manifests that a release records.
 * These have no revision numbers, because a rollback must count them again.
 */
export interface PreparedPlan extends PlanDecision {
  readonly declared: readonly DeclaredObject[];
}

/**
 * Reads the facts for a plan from the cluster, then decides in one pure call.
 * It writes nothing and sends only dry runs.
 */
export async function preparePlan(
  cluster: Cluster,
  basis: PlanBasis,
): Promise<Result<PreparedPlan>> {
  const { rules, inventory, history, concurrency } = basis;
  const [declared, version] = await Promise.all([
    declareManifests(cluster, basis),
    cluster.version(),
  ]);
  if (!declared.ok) return declared;
  // This check is before all reads and dry runs, whose answers would reveal other objects.
  const outside = environmentProblems(declared.value, rules);
  if (outside.length > 0) return failed(outside);
  const read = await readLive(cluster, declared.value, inventory, concurrency);
  if (!read.ok) return read;
  const live = read.value;
  const replicas = await readOrphanedReplicas(cluster, declared.value, live, concurrency);
  if (!replicas.ok) return replicas;
  const orphanedReplicas = replicas.value;
  const desired = computeDesired(declared.value, { live, history, orphanedReplicas }, rules);
  if (!desired.ok) return desired;
  const { objects, foreign } = desired.value;
  const toDryRun = objectsToDryRun(rules.deployment, desired.value, live, rules);
  const dryRuns = await dryRunObjects(
    cluster,
    toDryRun,
    { rules, foreign, live, history },
    concurrency,
  );
  const claimGrowth = await readClaimGrowth(cluster, toDryRun, {
    ...{ rules, dryRuns, concurrency },
  });
  const namespaces = keptNamespaces({ ...rules, inventory, live, desired: objects });
  const users = await listWorkloads(cluster, namespaces, concurrency);
  const triedElsewhere = await dryRunElsewhere(cluster, desired.value, live, basis);
  const orphans = findOrphans({ inventory, live, desired: declared.value });
  const elsewhere = orphans.length === 0 ? [] : ((await basis.declaredElsewhere?.()) ?? []);
  const removed = [...orphans.map((orphan) => orphan.live), ...recreatedObjects(dryRuns, live)];
  const owned = await readOwned(cluster, removed, live, concurrency);
  const makers = customResourceNamespaces(orphans.map((orphan) => orphan.live));
  const made = await readProducts(cluster, pLimit(concurrency), makers);
  const all = allDeclared(desired.value);
  const holdings = await readAllContents(
    cluster,
    { ...rules, inventory, live, history, elsewhere, desired: all, only: desired.value.only },
    concurrency,
  );
  const remaining = await readRemaining(cluster, live, rules, concurrency);
  const server = version.ok ? version.value : undefined;
  const kept = { live, inventory, history, elsewhere, users, claimGrowth, server };
  const observed = { ...kept, dryRuns, tried: triedElsewhere, owned, made, holdings, remaining };
  const decided = buildPlan({ rules, desired: desired.value, observed });
  return decided.ok ? ok({ ...decided.value, declared: declared.value }) : decided;
}

/** Reads the reasons why current deletions of the deployment's own objects don't end. */
async function readRemaining(
  cluster: Cluster,
  live: LiveObjects,
  owner: PlanRules,
  concurrency: number,
): Promise<ReadonlyMap<string, PendingDeletion>> {
  const limit = pLimit(concurrency);
  const deleting = [...live].filter(
    ([, object]) => isBeingDeleted(object) && foreignProtection(object, owner) === undefined,
  );
  const read = deleting.map(
    async ([key, object]) => [key, await describeRemaining(object, { cluster, limit })] as const,
  );
  return new Map(await Promise.all(read));
}

/**
 * Reads the contents of each Namespace and definition that the plan deletes, which is rare.
 * It sends one request for each kind that the cluster serves.
 */
async function readAllContents(
  cluster: Cluster,
  input: Parameters<typeof holdersToDelete>[0],
  concurrency: number,
): Promise<HoldingsByKey> {
  const limit = pLimit(concurrency);
  const ours = {
    keys: new Set([
      ...input.desired.map(({ key }) => key),
      ...input.inventory.map(({ id }) => keyOf(id)),
    ]),
    uids: new Set<string>(),
  };
  const read = holdersToDelete(input).map(
    async (holder) => [holder.key, await readContents(cluster, limit, holder, ours)] as const,
  );
  return new Map(await Promise.all(read));
}

/**
 * Dry-runs the objects of new namespaces in an existing namespace.
 * Only readers of the plan need this: the deployment asks again when the namespaces exist.
 */
async function dryRunElsewhere(
  cluster: Cluster,
  desired: Desired,
  live: LiveObjects,
  { rules, concurrency }: PlanBasis,
): Promise<ReadonlyMap<string, ApiResult<KubeObject>>> {
  const candidates = rules.dryRuns === "all" ? objectsForTrialNamespace(desired, live, rules) : [];
  const namespace = trialNamespace(desired, live, rules);
  const answers = await pMap(
    candidates,
    async ({ key, object }) => {
      const moved = withMetadata(object, { namespace });
      return [key, await cluster.create(moved, { dryRun: true })] as const;
    },
    { concurrency },
  );
  return new Map(answers);
}

/**
 * Discovers the kinds and declares the objects.
 * Discovery is first, because the scope of a kind decides the identity of its objects.
 */
async function declareManifests(
  cluster: Cluster,
  { rules: { deployment, namespace, onlyNamespace }, manifests, concurrency }: PlanBasis,
): Promise<Result<readonly DeclaredObject[]>> {
  const kinds = await pMap(
    kindsToDiscover(manifests),
    async (kind) => ({
      kind,
      answer: await cluster.kind(kind.apiVersion, kind.kind),
    }),
    { concurrency },
  );
  const fatal = kinds.find(({ answer }) => !answer.ok && answer.failure.reason !== "unknown-kind");
  if (fatal !== undefined && !fatal.answer.ok) {
    return failed([discoveryProblem(cluster, fatal.kind, fatal.answer.failure)]);
  }
  const scopes = new Map(
    kinds.flatMap(({ kind, answer }) =>
      answer.ok ? [[`${kind.apiVersion} ${kind.kind}`, answer.value.namespaced] as const] : [],
    ),
  );
  const unserved = new Map(
    kinds.flatMap(({ kind, answer }) =>
      answer.ok ? [] : [[`${kind.apiVersion} ${kind.kind}`, answer.failure.message] as const],
    ),
  );
  const nullRules = await readNullRules(cluster, manifests, concurrency);
  if (!nullRules.ok) return nullRules;
  return declareObjects(manifests, {
    deployment,
    namespace,
    onlyNamespace,
    findNullRules: nullRules.value,
    isNamespaced: (apiVersion, kind) => scopes.get(`${apiVersion} ${kind}`),
    whyUnserved: (apiVersion, kind) => unserved.get(`${apiVersion} ${kind}`),
  });
}

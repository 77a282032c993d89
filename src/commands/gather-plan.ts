import type { Manifest, Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { KubeObject } from "../model/object.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import { failed, ok, type Result } from "../model/problem.ts";
import type { History, InventoryEntry } from "../model/release.ts";
import { objectsToDryRun } from "../plan/cluster-reads.ts";
import { type DesiredObject, declareObjects, kindsToDiscover } from "../plan/declared/desired.ts";
import { rememberSecrets } from "../plan/declared/former-secrets.ts";
import { settleLateTexts } from "../plan/declared/late-texts.ts";
import { numberRevisions } from "../plan/declared/revisions.ts";
import { namespacesOfKept } from "../plan/deletions/deletions.ts";
import { chooseStage } from "../plan/only-stage.ts";
import { linkObjects } from "../plan/order/edges.ts";
import { ignoreChanges } from "../plan/ownership/ignore-changes.ts";
import { planDeployment } from "../plan/plan.ts";
import type { Cluster } from "../ports.ts";
import { clusterProblem } from "./cluster-problem.ts";
import { foresee } from "./foresee.ts";
import { inParallel } from "./in-parallel.ts";
import { readLive } from "./read-live.ts";
import { readPodUsers } from "./read-pod-users.ts";

export interface PlanRequest {
  readonly deployment: Deployment;
  readonly manifests: readonly Manifest[];
  readonly inventory: readonly InventoryEntry[];
  readonly history: History;
  readonly policy: PlanPolicy;
  readonly purpose: "diff" | "deploy";
  /** All are declared and read, but only the objects of this stage are planned; undefined plans both. */
  readonly onlyStage?: Stage | undefined;
  /** By default all for a diff, and for a deployment those that its own applying will not do as well. */
  readonly dryRuns?: "all" | "needed" | undefined;
  readonly concurrency: number;
  readonly hash: (text: string) => string;
}

/** A plan, and what it was made from. */
export interface GatheredPlan {
  readonly plan: Plan;
  /** What a release records: without revision numbers, which a rollback has to count anew. */
  readonly declared: readonly DesiredObject[];
}

/** Reads from the cluster what a plan must know, then decides in one pure call. Writes nothing but dry-runs. */
export async function gatherPlan(
  cluster: Cluster,
  request: PlanRequest,
): Promise<Result<GatheredPlan>> {
  const declared = await declare(cluster, request);
  if (!declared.ok) return declared;
  const live = await readLive(cluster, declared.value, request.inventory, request.concurrency);
  if (!live.ok) return live;
  const plan = await decide(cluster, declared.value, live.value, request);
  return plan.ok ? ok({ plan: plan.value, declared: declared.value }) : plan;
}

async function decide(
  cluster: Cluster,
  declared: readonly DesiredObject[],
  live: ReadonlyMap<string, KubeObject>,
  request: PlanRequest,
): Promise<Result<Plan>> {
  const deployment = request.deployment.name;
  const wanted = ignoreChanges(
    deployment,
    numberRevisions(declared, live, request.history.revisions),
    live,
  );
  if (!wanted.ok) return wanted;
  const { objects: kept, notices } = wanted.value;
  const all = rememberSecrets(settleLateTexts(kept, live), live, request.history);
  const edges = linkObjects(all, (key) => live.has(key));
  if (!edges.ok) return edges;
  const chosen = chooseStage(request.onlyStage, { deployment, objects: all }, edges.value, live);
  if (!chosen.ok) return chosen;
  const { objects: desired, only } = chosen.value;
  const dryRuns = request.dryRuns ?? (request.purpose === "diff" ? "all" : "needed");
  const { policy, concurrency } = request;
  const objects = objectsToDryRun(deployment, desired, edges.value, live, dryRuns);
  const foreseen = await foresee(cluster, { deployment, objects, live, policy, concurrency });
  const { inventory, history, purpose, hash } = request;
  const namespaces = namespacesOfKept({ deployment, inventory, live, desired });
  const users = await readPodUsers(cluster, namespaces, concurrency);
  const decisions = { inventory, history, users, policy, purpose, hash, notices, foreseen };
  return planDeployment({
    ...decisions,
    deployment,
    namespace: request.deployment.namespace,
    desired,
    only,
    edges: edges.value,
    live,
  });
}

/** Discovery first: whether a kind has namespaces decides what the objects are. */
async function declare(
  cluster: Cluster,
  { deployment, manifests, concurrency }: PlanRequest,
): Promise<Result<readonly DesiredObject[]>> {
  const kinds = await inParallel(kindsToDiscover(manifests), concurrency, async (wanted) => ({
    wanted,
    answer: await cluster.kind(wanted.apiVersion, wanted.kind),
  }));
  const fatal = kinds.find(({ answer }) => !answer.ok && answer.failure.reason !== "unknown-kind");
  if (fatal !== undefined && !fatal.answer.ok) {
    return failed([clusterProblem(cluster, "read which kinds it serves", fatal.answer.failure)]);
  }
  const scopes = new Map(
    kinds.flatMap(({ wanted, answer }) =>
      answer.ok ? [[`${wanted.apiVersion} ${wanted.kind}`, answer.value.namespaced] as const] : [],
    ),
  );
  return declareObjects(manifests, {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (apiVersion, kind) => scopes.get(`${apiVersion} ${kind}`),
  });
}

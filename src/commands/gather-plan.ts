import type { Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../model/object.ts";
import { fieldManager, type Plan } from "../model/plan.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { InventoryEntry } from "../model/release.ts";
import { type LiveList, listsToRead, objectsToDryRun } from "../plan/cluster-reads.ts";
import { type DesiredObject, declareObjects, kindsToDiscover } from "../plan/desired.ts";
import { linkObjects } from "../plan/edges.ts";
import { undeclaredDependencies } from "../plan/explicit-edges.ts";
import { ignoreChanges } from "../plan/ignore-changes.ts";
import { planDeployment } from "../plan/plan.ts";
import type { Predictions } from "../plan/prediction.ts";
import { numberRevisions } from "../plan/revisions.ts";
import type { Cluster, ClusterFailure } from "../ports.ts";
import { inParallel } from "./in-parallel.ts";

export interface PlanRequest {
  readonly deployment: Deployment;
  readonly manifests: readonly Manifest[];
  readonly inventory: readonly InventoryEntry[];
  readonly allowDelete: readonly string[];
  readonly purpose: "diff" | "deploy";
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
  const live = await readLive(cluster, declared.value, request);
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
  const wanted = ignoreChanges(deployment, numberRevisions(declared, live), live);
  if (!wanted.ok) return wanted;
  const { objects: desired, notices } = wanted.value;
  const edges = linkObjects(desired, (key) => live.has(key));
  if (!edges.ok) return edges;
  const unproven = objectsToDryRun(deployment, desired, edges.value, live, request.purpose);
  const predictions = await dryRun(cluster, unproven, request);
  const { inventory, allowDelete, purpose, hash } = request;
  const decisions = { inventory, allowDelete, purpose, hash, notices };
  return planDeployment({
    ...decisions,
    deployment,
    desired,
    edges: edges.value,
    live,
    predictions,
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

/** One LIST per kind and namespace, and single reads for what annotations name outside the deployment. */
async function readLive(
  cluster: Cluster,
  desired: readonly DesiredObject[],
  { inventory, concurrency }: PlanRequest,
): Promise<Result<ReadonlyMap<string, KubeObject>>> {
  const problems: Problem[] = [];
  const live = new Map<string, KubeObject>();
  const collect = (objects: readonly KubeObject[]) => {
    for (const object of objects) live.set(keyOf(idOf(object)), object);
  };
  await inParallel(listsToRead(desired, inventory), concurrency, async (list) => {
    const answer = await cluster.list(list.apiVersion, list.kind, list.namespace);
    if (answer.ok) collect(answer.value.items);
    else if (!isAbsence(answer.failure)) problems.push(listProblem(cluster, list, answer.failure));
  });
  await inParallel(undeclaredDependencies(desired), concurrency, async (id) => {
    const kind = await cluster.preferredKind(id.group, id.kind);
    if (!kind.ok) return;
    const { group, version } = kind.value;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const answer = await cluster.read({ ...id, apiVersion });
    if (answer.ok && answer.value !== undefined) collect([answer.value]);
    else if (!answer.ok)
      problems.push(clusterProblem(cluster, `read ${nameOf(id)}`, answer.failure));
  });
  return problems.length > 0 ? failed(problems) : ok(live);
}

/** A kind that is not served yet, or a namespace that is not there yet, holds nothing. */
function isAbsence({ reason }: ClusterFailure): boolean {
  return reason === "unknown-kind" || reason === "not-found";
}

async function dryRun(
  cluster: Cluster,
  objects: readonly DesiredObject[],
  { deployment, concurrency }: PlanRequest,
): Promise<Predictions> {
  const answers = await inParallel(objects, concurrency, async ({ key, object, stage }) => {
    const manager = fieldManager(deployment.name, stage);
    const options = { fieldManager: manager, dryRun: true, force: false };
    return [key, await cluster.apply(object, options)] as const;
  });
  return new Map(answers);
}

function listProblem(cluster: Cluster, list: LiveList, failure: ClusterFailure): Problem {
  const where = list.namespace === undefined ? "" : ` in namespace ${list.namespace}`;
  return clusterProblem(cluster, `list ${list.kind} (${list.apiVersion})${where}`, failure);
}

/** A refusal of the API server in the words of somebody who has to mend it. */
export function clusterProblem(cluster: Cluster, doing: string, failure: ClusterFailure): Problem {
  // What says that the server cannot be reached names it already.
  const at = failure.reason === "unreachable" ? "" : ` at ${cluster.server}`;
  return { where: [], what: `Cannot ${doing}${at}: ${failure.message}`, fix: cure(failure) };
}

function cure({ reason }: ClusterFailure): string {
  switch (reason) {
    case "unreachable":
      return "Check that the cluster runs, and the server's address in the kubeconfig";
    case "unauthorized":
      return "Renew the credentials of this kubeconfig context";
    case "forbidden":
      return "Have an administrator grant what is missing, or use a context whose user may do this";
    case "not-found":
    case "already-exists":
    case "conflict":
    case "invalid":
    case "expired":
    case "unknown-kind":
    case "other":
      return "Read the server's answer above; running again is safe";
  }
}

import { createHash } from "node:crypto";
import type { ApiResult } from "../../../src/model/cluster/api/api-failure.ts";
import type { InventoryEntry } from "../../../src/model/deployments/release.ts";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../../../src/model/object.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import { listsToRead, objectsToRead } from "../../../src/plan/cluster-reads.ts";
import { computeDesired } from "../../../src/plan/compute-desired.ts";
import { declareObjects, kindsToDiscover } from "../../../src/plan/declared/declare-objects.ts";
import { objectsToDryRun } from "../../../src/plan/dry-runs.ts";
import { undeclaredDependencies } from "../../../src/plan/order/explicit-edges.ts";
import type { PlanRules } from "../../../src/plan/plan-input.ts";
import { dryRunObjects } from "../../../src/planning/dry-run-objects.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { manifestsFrom } from "./declare.ts";
import { executablePlan } from "./executable-plan.ts";

export interface Observed {
  readonly plan: Result<Plan>;
  /** The keys of the objects that were dry-run. */
  readonly dryRuns: readonly string[];
}

/** Plans against a real cluster, with the steps of a deployment. */
export async function planAgainst(
  cluster: Cluster,
  { deployment, namespace }: { readonly deployment: string; readonly namespace: string },
  yaml: string,
  inventory: readonly InventoryEntry[] = [],
): Promise<Observed> {
  const manifests = manifestsFrom(yaml);
  const scopes = new Map<string, boolean>();
  for (const { apiVersion, kind } of kindsToDiscover(manifests)) {
    const info = await cluster.kind(apiVersion, kind);
    if (info.ok) scopes.set(`${apiVersion} ${kind}`, info.value.namespaced);
  }
  const declared = declareObjects(manifests, {
    deployment,
    namespace,
    isNamespaced: (apiVersion, kind) => scopes.get(`${apiVersion} ${kind}`),
  });
  if (!declared.ok) return { plan: declared, dryRuns: [] };
  const live = new Map<string, KubeObject>();
  for (const { apiVersion, kind, namespace: where } of listsToRead(declared.value, inventory)) {
    const answer = await cluster.list(apiVersion, kind, where);
    if (!answer.ok && answer.failure.reason === "unknown-kind") continue;
    for (const object of got(answer).items) live.set(keyOf(idOf(object)), object);
  }
  for (const address of objectsToRead(declared.value, inventory)) {
    const object = got(await cluster.read(address));
    if (object !== undefined) live.set(keyOf(idOf(object)), object);
  }
  for (const id of undeclaredDependencies(declared.value)) {
    const object = await readOutside(cluster, id);
    if (object !== undefined) live.set(keyOf(idOf(object)), object);
  }
  const history = objectHistory(emptyHistory);
  const rules: PlanRules = {
    deployment,
    namespace,
    isOtherSource: false,
    adopt: false,
    policy: { allowDelete: ["everything"], conflicts: { force: false, takeover: [] } },
    purpose: "deploy",
    dryRuns: "all",
    recorded: false,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  };
  const desired = computeDesired(declared.value, { live, history }, rules);
  if (!desired.ok) return { plan: desired, dryRuns: [] };
  const { foreign } = desired.value;
  const asked = objectsToDryRun(deployment, desired.value, live);
  const dryRuns = await dryRunObjects(cluster, asked, { rules, foreign, live, history }, 1);
  const observed = { live, inventory, history, users: new Map(), dryRuns };
  const plan = executablePlan({ rules, desired: desired.value, observed });
  return { plan, dryRuns: asked.map(({ key }) => key) };
}

async function readOutside(cluster: Cluster, id: ObjectId): Promise<KubeObject | undefined> {
  const kind = await cluster.preferredKind(id.group, id.kind);
  if (!kind.ok) return undefined;
  const { group, version } = kind.value;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return got(
    await cluster.read({ apiVersion, kind: id.kind, namespace: id.namespace, name: id.name }),
  );
}

export function got<T>(answer: ApiResult<T>): T {
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value;
}

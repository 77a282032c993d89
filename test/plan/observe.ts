import { createHash } from "node:crypto";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../../src/model/object.ts";
import { fieldManager, type Plan } from "../../src/model/plan.ts";
import type { Result } from "../../src/model/problem.ts";
import type { InventoryEntry } from "../../src/model/release.ts";
import { listsToRead, objectsToDryRun } from "../../src/plan/cluster-reads.ts";
import { declareObjects, kindsToDiscover } from "../../src/plan/declared/desired.ts";
import { settleLateTexts } from "../../src/plan/declared/late-texts.ts";
import { numberRevisions } from "../../src/plan/declared/revisions.ts";
import { linkObjects } from "../../src/plan/order/edges.ts";
import { undeclaredDependencies } from "../../src/plan/order/explicit-edges.ts";
import { ignoreChanges } from "../../src/plan/ownership/ignore-changes.ts";
import { planDeployment } from "../../src/plan/plan.ts";
import { nothingForeseen, type Prediction } from "../../src/plan/prediction.ts";
import type { Answer, Cluster } from "../../src/ports.ts";
import { historyOf } from "../../src/releases/history.ts";
import { manifestsFrom } from "./declare.ts";

export interface Observed {
  readonly plan: Result<Plan>;
  /** How many objects had to be asked about by a dry-run. */
  readonly dryRuns: readonly string[];
}

/** A plan against a real cluster, in the steps that a deployment takes. */
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
  for (const id of undeclaredDependencies(declared.value)) {
    const object = await readOutside(cluster, id);
    if (object !== undefined) live.set(keyOf(idOf(object)), object);
  }
  const edges = linkObjects(declared.value, (key) => live.has(key));
  if (!edges.ok) return { plan: edges, dryRuns: [] };
  const ignored = ignoreChanges(deployment, numberRevisions(declared.value, live), live);
  if (!ignored.ok) return { plan: ignored, dryRuns: [] };
  const { notices } = ignored.value;
  const desired = settleLateTexts(ignored.value.objects, live);
  const asked = objectsToDryRun(deployment, desired, edges.value, live);
  const predictions = new Map<string, Prediction>();
  for (const { key, object, stage } of asked) {
    const manager = fieldManager(deployment, stage);
    const options = { fieldManager: manager, dryRun: true, force: false };
    predictions.set(key, await cluster.apply(object, options));
  }
  const plan = planDeployment({
    deployment,
    namespace,
    desired,
    edges: edges.value,
    live,
    foreseen: nothingForeseen(predictions),
    inventory,
    history: historyOf([]),
    users: new Map(),
    policy: { allowDelete: ["everything"], conflicts: { force: false, takeover: [] } },
    purpose: "deploy",
    notices,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
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

export function got<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value;
}

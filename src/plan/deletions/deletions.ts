import type { Stage } from "../../model/compilation.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, keyOf } from "../../model/object.ts";
import type { Deletion, KeptObject, PlanPolicy, Retirement } from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import { protectionOf } from "../../model/protection.ts";
import type { History, InventoryEntry, LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "../declared/desired.ts";
import { type OnlyStage, spared } from "../only-stage.ts";
import { buildGraph, type Link } from "../order/graph.ts";
import { orderObjects } from "../order/order.ts";
import { goesWith, isHolder, objectionsTo } from "./deletion-objections.ts";
import { describeKeeping, keepingOf, type PodUsers, retirements } from "./kept.ts";
import { keepWhatKeptNeed } from "./needed.ts";

export interface DeletionInput {
  readonly deployment: string;
  /** Where the releases and the lock of the deployment are. */
  readonly namespace: string;
  readonly inventory: readonly InventoryEntry[];
  readonly live: LiveObjects;
  /** Everything declared now. */
  readonly desired: readonly Pick<DesiredObject, "key" | "id" | "object">[];
  readonly policy: PlanPolicy;
  readonly only?: OnlyStage | undefined;
  readonly history: History;
  /** Of the namespaces that `namespacesOfKept` names. */
  readonly users: PodUsers;
}

export interface DeletionPlan {
  readonly deletions: readonly Deletion[];
  readonly kept: readonly KeptObject[];
  readonly problems: readonly Problem[];
}

/**
 * What of the inventory is not declared any more, and what becomes of it: it goes only if it is live, ours and
 * unprotected (deploy.md §4). Anything that no release recorded is not even looked at.
 */
export function planDeletions(input: DeletionInput): DeletionPlan {
  const orphans = keepWhatKeptNeed(protectedOrphans(input));
  const kept = orphans.flatMap(({ key, entry, why }) =>
    why === undefined ? [] : [{ key, id: entry.id, ...why }],
  );
  const doomed = orphans.filter((orphan) => orphan.why === undefined);
  const staying = [...input.desired, ...kept];
  return {
    deletions: inDeletionOrder(doomed),
    kept,
    problems: doomed.flatMap((orphan) => objectionsTo(orphan, staying, input)),
  };
}

/** Where Pods may still use what is kept, sorted: the caller reads who is there. */
export function namespacesOfKept(
  input: Pick<DeletionInput, "deployment" | "inventory" | "live" | "desired">,
): readonly string[] {
  const namespaces = orphansOf(input)
    .filter(({ live, entry }) => protectionIn(input, live, entry)?.why === "keepOnDelete")
    .map(({ entry }) => entry.id.namespace)
    .filter((namespace) => namespace !== "");
  return [...new Set(namespaces)].toSorted();
}

/** Every orphan with what protects it, after those that have become too old for that are taken out. */
function protectedOrphans(input: DeletionInput): readonly ProtectedOrphan[] {
  const orphans = orphansOf(input).map((orphan): ProtectedOrphan => {
    const protection = protectionIn(input, orphan.live, orphan.entry);
    if (protection === undefined) return { ...orphan, why: sparedBy(input.only, orphan) };
    if (protection.why !== "keepOnDelete") return { ...orphan, why: protection };
    const keeping = keepingOf(orphan, input.history, input.users);
    return { ...orphan, why: { ...protection, detail: describeKeeping(keeping), keeping } };
  });
  const candidates = orphans.flatMap(({ why, ...orphan }) =>
    why?.keeping === undefined || spared(input.only, orphan.entry) !== undefined
      ? []
      : [{ ...orphan, keeping: why.keeping }],
  );
  const { desired, deployment, policy } = input;
  const retired = retirements(candidates, desired, deployment, policy.keepRevisions);
  return orphans.map((orphan) => {
    const retires = retired.get(orphan.key);
    return retires === undefined ? orphan : { ...orphan, why: undefined, retires };
  });
}

function sparedBy(
  only: OnlyStage | undefined,
  { entry }: Orphan,
): Pick<KeptObject, "why" | "detail"> | undefined {
  const detail = spared(only, entry);
  return detail === undefined ? undefined : { why: "only one stage", detail };
}

function protectionIn(
  { deployment }: Pick<DeletionInput, "deployment">,
  live: KubeObject,
  { keepOnDelete }: InventoryEntry,
) {
  return protectionOf(live, deployment, { declaredKey: keepOnDelete });
}

interface ProtectedOrphan extends Orphan {
  /** undefined when it may go. */
  readonly why: Pick<KeptObject, "why" | "detail" | "keeping"> | undefined;
}

interface Orphan {
  readonly key: string;
  readonly entry: InventoryEntry;
  readonly live: KubeObject;
  readonly uid: string;
  readonly retires?: Retirement;
}

/** Live objects of the inventory that are not declared, sorted. The same uid under another group is the same object. */
function orphansOf({
  inventory,
  desired,
  live,
}: Pick<DeletionInput, "inventory" | "desired" | "live">): readonly Orphan[] {
  const declared = new Set(desired.map((object) => object.key));
  const declaredUids = new Set(desired.map(({ key }) => uidOf(live.get(key))));
  return inventory
    .map((entry) => ({ key: keyOf(entry.id), entry }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ key, entry }) => {
      const found = live.get(key);
      const uid = uidOf(found);
      if (found === undefined || uid === undefined) return [];
      return declared.has(key) || declaredUids.has(uid) ? [] : [{ key, entry, live: found, uid }];
    });
}

function uidOf(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "uid");
}

/**
 * Dependants first, by the edges recorded when they were made; app before appSetup. Edges of different releases may
 * contradict each other: those that would close a cycle are left out. What would go along with a Namespace or CRD comes
 * before it also where no release recorded that, since each object is looked at before it goes and may have to stay.
 */
function inDeletionOrder(orphans: readonly Orphan[]): readonly Deletion[] {
  const stageOf = new Map(orphans.map(({ key, entry }) => [key, entry.stage]));
  const links: readonly Link[] = orphans
    .flatMap(({ key, entry }) =>
      entry.after.map(({ on, reason }) => ({
        from: on,
        on: key,
        reason: `it depends on this: ${reason}`,
      })),
    )
    .concat(
      orphans
        .filter(({ entry }) => isHolder(entry.id))
        .flatMap((holder) => linksInto(holder, orphans)),
    )
    .filter((link) => !isForeign(link, stageOf));
  const graph = buildGraph([], links);
  const deletions = orphans.map(({ key, entry, live, uid, retires }) => ({
    key,
    id: entry.id,
    stage: entry.stage,
    apiVersion: live.apiVersion,
    uid,
    live,
    after: graph.get(key) ?? [],
    ...(retires === undefined ? {} : { retires }),
  }));
  // orderObjects puts appSetup first, and deletions go the other way round, so the stages are swapped for it.
  const swapped = deletions.map((deletion) => ({
    key: deletion.key,
    stage: (deletion.stage === "app" ? "appSetup" : "app") as Stage,
    deletion,
  }));
  const order = orderObjects(swapped, graph);
  return order.ok ? order.value.map(({ deletion }) => deletion) : deletions;
}

function linksInto(holder: Orphan, orphans: readonly Orphan[]): readonly Link[] {
  return orphans
    .filter(({ entry }) => goesWith(entry.id, holder))
    .map(({ key }) => ({ from: holder.key, on: key, reason: "it would go along with this" }));
}

/** Only what is deleted itself can be waited for, and never something of appSetup by something of app. */
function isForeign({ from, on }: Link, stageOf: ReadonlyMap<string, Stage>): boolean {
  if (!stageOf.has(from) || !stageOf.has(on)) return true;
  return stageOf.get(from) === "app" && stageOf.get(on) === "appSetup";
}

import { groupOf, type KubeObject } from "../model/object.ts";
import { fieldManager } from "../model/plan.ts";
import type { InventoryEntry, LiveObjects } from "../model/release.ts";
import { compareWithLive } from "./changes/compare.ts";
import { selfEvidentKeys } from "./changes/self-evident.ts";
import type { DesiredObject } from "./declared/desired.ts";
import type { Graph } from "./order/graph.ts";

/** One LIST: all objects of a kind in a namespace, or of a cluster-scoped kind. */
export interface LiveList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/**
 * The fewest LISTs that show everything a plan looks at, sorted: no label selector may narrow them, since revisions
 * count objects of others too. What is only in the inventory is read in the version that made it.
 */
export function listsToRead(
  objects: readonly DesiredObject[],
  inventory: readonly InventoryEntry[],
): readonly LiveList[] {
  const lists = new Map<string, LiveList>();
  const all = [
    ...objects.map(({ id, object }) => ({ id, apiVersion: object.apiVersion })),
    ...inventory,
  ];
  for (const { id, apiVersion } of all) {
    const key = `${groupOf(apiVersion)} ${id.kind} ${id.namespace}`;
    const namespace = id.namespace === "" ? undefined : id.namespace;
    if (!lists.has(key)) lists.set(key, { apiVersion, kind: id.kind, namespace });
  }
  return [...lists.keys()].toSorted().map((key) => lists.get(key) as LiveList);
}

/**
 * The objects that only a dry-run can tell about: all but those provably unchanged and those it can't work
 * for yet. A
 * preview asks about "all" of them; a deployment about those "needed", without the self-evident ones, since it asks
 * again by applying.
 */
export function objectsToDryRun(
  deployment: string,
  objects: readonly DesiredObject[],
  graph: Graph,
  live: LiveObjects,
  dryRuns: "all" | "needed" = "all",
): readonly DesiredObject[] {
  const asked = objects.filter((object) => {
    if (awaitedValue(object) !== undefined) return false;
    const existing = live.get(object.key);
    if (existing !== undefined) return !isProvenUnchanged(deployment, object, existing);
    return awaitedFoundation(object, graph, live) === undefined;
  });
  const evident = dryRuns === "all" ? noKeys : selfEvidentKeys(deployment, asked, live);
  return asked.filter((object) => !evident.has(object.key));
}

const noKeys: ReadonlySet<string> = new Set();

export function isProvenUnchanged(
  deployment: string,
  { object, stage }: DesiredObject,
  live: KubeObject,
): boolean {
  return compareWithLive(object, live, fieldManager(deployment, stage)) === "unchanged";
}

/** The key of an object whose value it needs and that only the deployment will bring: until then nobody can be asked. */
export function awaitedValue({ late = [] }: DesiredObject): string | undefined {
  return late.find(({ awaits }) => awaits !== undefined)?.awaits;
}

/** The Namespace or CRD that this deployment creates first and without which the server can't judge the object. */
export function awaitedFoundation(
  object: DesiredObject,
  graph: Graph,
  live: LiveObjects,
): string | undefined {
  return (graph.get(object.key) ?? [])
    .map((edge) => edge.on)
    .find((key) => /^core:Namespace::|:CustomResourceDefinition::/.test(key) && !live.has(key));
}

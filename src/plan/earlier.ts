import { type Earlier, type EarlierChange, nothingEarlier } from "../model/earlier.ts";
import type { Edge } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import type { DeclaredObject } from "./declared/objects.ts";
import type { Graph } from "./order/graph.ts";
import { implicitLinks } from "./order/implicit-edges.ts";

/** What the objects have to do with those that deployments before make or change, by the same rules as among themselves. */
export function linkToEarlier(objects: readonly DeclaredObject[], earlier: Earlier): Graph {
  if (earlier.changes.size === 0) return new Map();
  const own = new Set(objects.map(({ key }) => key));
  const others = [...earlier.changes.values()].filter(({ key }) => !own.has(key)).map(asDeclared);
  const keys = new Set(others.map(({ key }) => key));
  const links = implicitLinks([...objects, ...others]).filter(
    ({ from, on }) => own.has(from) && keys.has(on),
  );
  return Map.groupBy(links, ({ from }) => from);
}

/** What an object waits for, in this deployment and in those before. */
export function waitedFor(
  key: string,
  { edges, toEarlier }: { readonly edges: Graph; readonly toEarlier: Graph },
): readonly Edge[] {
  return [...(edges.get(key) ?? []), ...(toEarlier.get(key) ?? [])];
}

/** Whether something exists before the first of these deployments begins. */
export function isThere(key: string, live: LiveObjects, earlier = nothingEarlier): boolean {
  return live.has(key) || earlier.changes.get(key)?.live !== undefined;
}

/** Completes "it is created …". */
export function byWhom(key: string, earlier = nothingEarlier): string {
  const deployment = earlier.changes.get(key)?.deployment;
  return deployment === undefined ? "by this same deployment" : before(deployment);
}

/** Completes "it is deleted …"; undefined where it stays. */
export function deletedByWhom(key: string, earlier = nothingEarlier): string | undefined {
  const deployment = earlier.deleted.get(key);
  return deployment === undefined ? undefined : before(deployment);
}

function before(deployment: string): string {
  return `by the deployment ${deployment}, which goes first`;
}

/** As much of a declared object as links are found by. */
function asDeclared(change: EarlierChange): DeclaredObject {
  const { key, id, stage, resource, desired, predicted } = change;
  return { key, id, stage, resource, object: predicted ?? desired, dependsOn: [], references: [] };
}

import { type Earlier, type EarlierChange, nothingEarlier } from "../model/earlier.ts";
import { groupOf, idOf, nameOf } from "../model/object.ts";
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
  const deleted = earlier.deleted.get(key);
  return deleted === undefined ? undefined : before(deleted.deployment);
}

/**
 * Why the server's answer about an object is none for what will be there: an earlier deployment changes what else decides about it. Completes
 * a sentence; undefined where nothing does.
 */
export function changedAdmission(earlier = nothingEarlier): string | undefined {
  const changed = earlier.changes.values().find(({ id }) => id.group === admissionGroup);
  if (changed !== undefined) {
    return `${nameOf(changed.id)}, which may decide about it, is changed ${before(changed.deployment)}`;
  }
  const deleted = earlier.deleted
    .values()
    .find(({ live }) => groupOf(live.apiVersion) === admissionGroup);
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which may decide about it, is deleted ${before(deleted.deployment)}`
  );
}

const admissionGroup = "admissionregistration.k8s.io";

/** The same of a webhook that does not answer now: what serves it may come or be repaired. */
export function changedServers(earlier = nothingEarlier): string | undefined {
  const serving = earlier.changes.values().find(({ id }) => servers.has(id.kind));
  return (
    serving && `${nameOf(serving.id)}, which may serve it, is changed ${before(serving.deployment)}`
  );
}

/** Kinds of what may serve a webhook. */
export const servers: ReadonlySet<string> = new Set([
  ...["DaemonSet", "Deployment", "EndpointSlice", "Endpoints", "NetworkPolicy", "Pod"],
  ...["ReplicaSet", "Rollout", "Service", "StatefulSet"],
]);

/** The same of a quota: what counts for it goes. */
export function givenBack(namespace: string, earlier = nothingEarlier): string | undefined {
  const deleted = earlier.deleted.values().find(({ live }) => idOf(live).namespace === namespace);
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which may count for the quota, is deleted ${before(deleted.deployment)}`
  );
}

function before(deployment: string): string {
  return `by the deployment ${deployment}, which goes first`;
}

/** As much of a declared object as links are found by. */
function asDeclared(change: EarlierChange): DeclaredObject {
  const { key, id, stage, resource, desired, predicted } = change;
  return { key, id, stage, resource, object: predicted ?? desired, dependsOn: [], references: [] };
}

import { groupOf, idOf, nameOf } from "../model/object.ts";
import type { Edge } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import {
  noUpstreamDeployments,
  type UpstreamChange,
  type UpstreamDeployments,
} from "../model/upstream-deployments.ts";
import type { DeclaredObject } from "./declared/objects.ts";
import type { Graph } from "./order/graph.ts";
import { implicitLinks } from "./order/implicit-edges.ts";

/**
 * Returns the dependencies on objects that upstream deployments create or change.
 * The rules are the same as within one deployment.
 */
export function linkToEarlier(
  objects: readonly DeclaredObject[],
  earlier: UpstreamDeployments,
): Graph {
  if (earlier.changes.size === 0) return new Map();
  const own = new Set(objects.map(({ key }) => key));
  const others = [...earlier.changes.values()].filter(({ key }) => !own.has(key)).map(asDeclared);
  const keys = new Set(others.map(({ key }) => key));
  const links = implicitLinks([...objects, ...others]).filter(
    ({ from, on }) => own.has(from) && keys.has(on),
  );
  return Map.groupBy(links, ({ from }) => from);
}

/** Lists the dependencies of an object in this deployment and in the upstream ones. */
export function waitedFor(
  key: string,
  { edges, toEarlier }: { readonly edges: Graph; readonly toEarlier: Graph },
): readonly Edge[] {
  return [...(edges.get(key) ?? []), ...(toEarlier.get(key) ?? [])];
}

/** Reports whether an object exists before the first of these deployments starts. */
export function isThere(key: string, live: LiveObjects, earlier = noUpstreamDeployments): boolean {
  return live.has(key) || earlier.changes.get(key)?.live !== undefined;
}

/** Returns the end of the sentence "it is created …". */
export function byWhom(key: string, earlier = noUpstreamDeployments): string {
  const deployment = earlier.changes.get(key)?.deployment;
  return deployment === undefined ? "by this deployment" : before(deployment);
}

/** Returns the end of the sentence "it is deleted …"; undefined if the object stays. */
export function deletedByWhom(key: string, earlier = noUpstreamDeployments): string | undefined {
  const deleted = earlier.deleted.get(key);
  return deleted === undefined ? undefined : before(deleted.deployment);
}

/**
 * Returns why the API server's answer about an object might change, as part of a sentence.
 * An upstream deployment changes another object that decides about it. Returns undefined if none
 * does.
 */
export function changedAdmission(earlier = noUpstreamDeployments): string | undefined {
  const changed = earlier.changes.values().find(({ id }) => id.group === admissionGroup);
  if (changed !== undefined) {
    return `${nameOf(changed.id)}, which might decide about it, is changed ${before(changed.deployment)}`;
  }
  const deleted = earlier.deleted
    .values()
    .find(({ live }) => groupOf(live.apiVersion) === admissionGroup);
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which might decide about it, is deleted ${before(deleted.deployment)}`
  );
}

const admissionGroup = "admissionregistration.k8s.io";

/**
 * Returns the same for a webhook that doesn't answer now: an upstream deployment might create or
 * repair its server.
 */
export function changedServers(earlier = noUpstreamDeployments): string | undefined {
  const serving = earlier.changes.values().find(({ id }) => servers.has(id.kind));
  return (
    serving &&
    `${nameOf(serving.id)}, which might serve the webhook, is changed ${before(serving.deployment)}`
  );
}

/** The kinds of objects that can serve a webhook. */
export const servers: ReadonlySet<string> = new Set([
  ...["DaemonSet", "Deployment", "EndpointSlice", "Endpoints", "NetworkPolicy", "Pod"],
  ...["ReplicaSet", "Rollout", "Service", "StatefulSet"],
]);

/** Returns the same for a quota: an upstream deployment deletes objects that count for it. */
export function givenBack(namespace: string, earlier = noUpstreamDeployments): string | undefined {
  const deleted = earlier.deleted.values().find(({ live }) => idOf(live).namespace === namespace);
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which might count toward the quota, is deleted ${before(deleted.deployment)}`
  );
}

function before(deployment: string): string {
  return `by the deployment ${deployment}, which runs first`;
}

/** Returns the parts of a declared object by which dependencies are found. */
function asDeclared(change: UpstreamChange): DeclaredObject {
  const { key, id, stage, resource, desired, predicted } = change;
  return { key, id, stage, resource, object: predicted ?? desired, dependsOn: [], references: [] };
}

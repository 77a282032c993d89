import {
  noUpstreamDeployments,
  type UpstreamChange,
  type UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import type { LiveObjects } from "../model/deployments/release.ts";
import { isAdmissionConfiguration } from "../model/governors.ts";
import { type GroupKind, hasRollout, kindKey } from "../model/kinds.ts";
import { idOf, nameOf } from "../model/object.ts";
import type { Edge } from "../model/plan/plan.ts";
import type { DeclaredObject } from "./declared/objects.ts";
import { implicitLinks } from "./order/implicit-edges.ts";
import type { Graph } from "./order/order.ts";

/**
 * Returns the dependencies on objects that upstream deployments create or change.
 * The rules are the same as within one deployment.
 */
export function linkToUpstream(
  objects: readonly DeclaredObject[],
  upstream: UpstreamDeployments,
): Graph {
  if (upstream.changes.size === 0) return new Map();
  const own = new Set(objects.map(({ key }) => key));
  const others = [...upstream.changes.values()]
    .filter(({ key }) => !own.has(key))
    .map(toDeclaredObject);
  const keys = new Set(others.map(({ key }) => key));
  const links = implicitLinks([...objects, ...others]).filter(
    ({ from, on }) => own.has(from) && keys.has(on),
  );
  return Map.groupBy(links, ({ from }) => from);
}

/** Lists the dependencies of an object in this deployment and in the upstream ones. */
export function allDependencies(
  key: string,
  { edges, upstreamEdges }: { readonly edges: Graph; readonly upstreamEdges: Graph },
): readonly Edge[] {
  return [...(edges.get(key) ?? []), ...(upstreamEdges.get(key) ?? [])];
}

/** Reports whether an object exists before the first of these deployments starts. */
export function isExisting(
  key: string,
  live: LiveObjects,
  upstream = noUpstreamDeployments,
): boolean {
  return live.has(key) || upstream.changes.get(key)?.live !== undefined;
}

/** Returns the end of the sentence "it is created …". */
export function changeActor(key: string, upstream = noUpstreamDeployments): string {
  const deployment = upstream.changes.get(key)?.deployment;
  return deployment === undefined ? "by this deployment" : upstreamActor(deployment);
}

/** Returns the end of the sentence "it is deleted …"; undefined if the object stays. */
export function deletionActor(key: string, upstream = noUpstreamDeployments): string | undefined {
  const deleted = upstream.deleted.get(key);
  return deleted === undefined ? undefined : upstreamActor(deleted.deployment);
}

/**
 * Returns why the API server's answer about an object might change, as part of a sentence.
 * An upstream deployment changes another object that decides about it. Returns undefined if none
 * does.
 */
export function admissionChangeReason(upstream = noUpstreamDeployments): string | undefined {
  const changed = upstream.changes.values().find(({ id }) => isAdmissionConfiguration(id));
  if (changed !== undefined) {
    return `${nameOf(changed.id)}, which might decide about it, is changed ${upstreamActor(changed.deployment)}`;
  }
  const deleted = upstream.deleted
    .values()
    .find(({ live }) => isAdmissionConfiguration(idOf(live)));
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which might decide about it, is deleted ${upstreamActor(deleted.deployment)}`
  );
}

/**
 * Returns the same for a webhook that doesn't answer now: an upstream deployment might create or
 * repair its server.
 */
export function webhookServerReason(upstream = noUpstreamDeployments): string | undefined {
  const serving = upstream.changes.values().find(({ id }) => canServeWebhooks(id));
  return (
    serving &&
    `${nameOf(serving.id)}, which might serve the webhook, is changed ${upstreamActor(serving.deployment)}`
  );
}

/** Reports whether an object of this kind can serve a webhook, or decide whether it is reached. */
export function canServeWebhooks(kind: GroupKind): boolean {
  return hasRollout(kind) || webhookServerKinds.has(kindKey(kind));
}

/** The kinds that can serve a webhook, in addition to those with a rollout. */
const webhookServerKinds: ReadonlySet<string> = new Set([
  ...["/Endpoints", "/Pod", "/Service", "apps/ReplicaSet"],
  ...["discovery.k8s.io/EndpointSlice", "networking.k8s.io/NetworkPolicy"],
]);

/** Returns the same for a quota: an upstream deployment deletes objects that count for it. */
export function quotaReleaseReason(
  namespace: string,
  upstream = noUpstreamDeployments,
): string | undefined {
  const deleted = upstream.deleted.values().find(({ live }) => idOf(live).namespace === namespace);
  return (
    deleted &&
    `${nameOf(idOf(deleted.live))}, which might count toward the quota, is deleted ${upstreamActor(deleted.deployment)}`
  );
}

function upstreamActor(deployment: string): string {
  return `by the deployment ${deployment}, which runs first`;
}

/** Returns the parts of a declared object by which dependencies are found. */
function toDeclaredObject(change: UpstreamChange): DeclaredObject {
  const { key, id, stage, resource, desired, predicted } = change;
  return { key, id, stage, resource, object: predicted ?? desired, dependsOn: [], references: [] };
}

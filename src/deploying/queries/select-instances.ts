import {
  type DeployedObject,
  type DeploymentState,
  type InventoryObject,
  isHealthyDeployment,
  type KeptObjectDetails,
} from "../../model/deployments/deployment-state.ts";
import { emptyHistory } from "../../model/deployments/release-history.ts";
import { at, isObject, type JsonObject, textAt } from "../../model/json.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";
import { keepingDetails } from "../../plan/deletions/kept-objects.ts";
import { listWorkloads } from "../../planning/live/read-owned.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { objectHistory } from "../../releases/history.ts";
import { concurrency } from "./list-recorded.ts";

/** A filter for objects. All given conditions must match. */
export interface InstanceFilter {
  /** The kind as the user wrote it, and a test for an object. */
  readonly kind?:
    | { readonly text: string; is(instance: Pick<InventoryObject, "id">): boolean }
    | undefined;
  /** The import path of an adapter, or its last part. */
  readonly adapter?: string | undefined;
  readonly labels?: ((labels: JsonObject) => boolean) | undefined;
  readonly unhealthy?: boolean | undefined;
}

/**
 * Selects objects by kind and adapter, which the records contain, so that qvs reads only these from
 * the cluster.
 * Throws a UserError if no object has the kind or comes from the adapter.
 */
export function selectRecordedInstances<T extends InventoryObject>(
  all: readonly T[],
  { kind, adapter }: InstanceFilter,
): readonly T[] {
  if (kind !== undefined && !all.some(kind.is)) throw noSuchKind(kind.text, all);
  if (adapter !== undefined && !all.some((each) => isFromAdapter(each, adapter))) {
    throw noSuchAdapter(adapter, all);
  }
  return all.filter(
    (each) =>
      (kind === undefined || kind.is(each)) &&
      (adapter === undefined || isFromAdapter(each, adapter)),
  );
}

/** Selects objects. With a filter, it returns only deployments with a matching object. */
export function selectInstances(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): readonly DeploymentState[] {
  const matching = matchingInstances(states, filter);
  if (isEmpty(filter)) return states;
  return states
    .map((state) => ({ ...state, instances: state.instances.filter((each) => matching.has(each)) }))
    .filter(({ instances }) => instances.length > 0);
}

/**
 * Selects the deployments with a matching object. Each keeps all its objects, because its state
 * depends on all of them.
 */
export function selectDeployments(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): readonly DeploymentState[] {
  const { unhealthy, ...others } = filter;
  // A deployment with unreadable records, or without a successful release, has no objects to match.
  if (isEmpty(others)) {
    return unhealthy === true ? states.filter((each) => !isHealthyDeployment(each)) : states;
  }
  const matching = matchingInstances(states, filter);
  return states.filter(({ instances }) => instances.some((each) => matching.has(each)));
}

function isEmpty({ kind, adapter, labels, unhealthy }: InstanceFilter): boolean {
  return [kind, adapter, labels].every((each) => each === undefined) && unhealthy !== true;
}

function matchingInstances(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): ReadonlySet<DeployedObject> {
  const { labels, unhealthy } = filter;
  const all = states.flatMap(({ instances }) => instances);
  return new Set(
    selectRecordedInstances(all, filter).filter(
      (each) =>
        (labels === undefined || labels(liveLabels(each))) &&
        (unhealthy !== true || !each.isHealthy),
    ),
  );
}

/** Reports whether the object comes from the adapter, directly or through other adapters. */
function isFromAdapter({ paths }: InventoryObject, adapter: string): boolean {
  return paths
    .flat()
    .some((pattern) => pattern === adapter || lastPathSegment(pattern) === adapter);
}

function lastPathSegment(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf("/") + 1);
}

function liveLabels({ live }: DeployedObject): JsonObject {
  const labels = at(live, "metadata", "labels");
  return isObject(labels) ? labels : {};
}

const maxListed = 30;

function noSuchKind(text: string, all: readonly InventoryObject[]): UserError {
  const kinds = [...new Set(all.map(({ id }) => id.kind))].toSorted();
  const what = `No object of the kind "${text}" is deployed here`;
  const fixes = suggestChoices("kinds", kinds, text, kinds);
  return new UserError([{ code: "unknown-kind", where: [], what, ...fixes }]);
}

function noSuchAdapter(text: string, all: readonly InventoryObject[]): UserError {
  const adapters = [...new Set(all.flatMap(({ paths }) => paths.flat()))].toSorted();
  const names = adapters.flatMap((pattern) => [pattern, lastPathSegment(pattern)]);
  const what = `No object from the adapter "${text}" is deployed here`;
  const fixes = suggestChoices("adapters", adapters, text, names);
  return new UserError([{ code: "ambiguous-selection", where: [], what, ...fixes }]);
}

function suggestChoices(
  kind: "kinds" | "adapters",
  all: readonly string[],
  text: string,
  names: readonly string[],
): Pick<Problem, "why" | "fix" | "otherwise"> {
  return all.length === 0
    ? { why: "Nothing is deployed here", fix: "Search all namespaces with --all-namespaces" }
    : suggestClosest(text, names, `Choose one of these ${kind}: ${summarizeList(all, maxListed)}`);
}

/** The kept objects by object key. */
export type KeptInstances = ReadonlyMap<string, KeptObjectDetails>;

/**
 * Reads the details of objects with `keepOnDelete`: the revision, the age and the objects that
 * refer to it.
 */
export async function readKeptInstances(
  cluster: Cluster,
  states: readonly DeploymentState[],
): Promise<KeptInstances> {
  const kept = states.flatMap(({ instances }) => instances).filter(isKept);
  const namespaces = [...new Set(kept.map(({ id }) => id.namespace))].filter((name) => name !== "");
  const users = await listWorkloads(cluster, namespaces, concurrency);
  const nothing = objectHistory(emptyHistory);
  return new Map(
    kept.map(({ key, id, apiVersion, stage, keepOnDelete, live }) => {
      const entry = { id, apiVersion, stage, keepOnDelete, after: [] };
      const { since: _unknown, ...keeping } = keepingDetails({ key, entry, live }, nothing, users);
      return [key, { ...keeping, created: textAt(live, "metadata", "creationTimestamp") }];
    }),
  );
}

function isKept(
  instance: DeployedObject,
): instance is DeployedObject & { live: NonNullable<DeployedObject["live"]> } {
  return instance.keepOnDelete !== undefined && instance.live !== undefined;
}

import { at, isObject, type JsonObject } from "../../model/json.ts";
import { type UserError, userError } from "../../model/problems/errors.ts";
import {
  type DeploymentState,
  type Instance,
  isHealthyDeployment,
  type RecordedInstance,
} from "../../model/queries.ts";
import { didYouMean, listed } from "../../model/text/closest.ts";

/** Which objects are meant. Every part that is given has to fit. */
export interface InstanceFilter {
  /** As it was written, and whether an object is of it. */
  readonly kind?:
    | { readonly text: string; is(instance: Pick<RecordedInstance, "id">): boolean }
    | undefined;
  /** Import path of an adapter, or its last part. */
  readonly adapter?: string | undefined;
  readonly labels?: ((labels: JsonObject) => boolean) | undefined;
  readonly unhealthy?: boolean | undefined;
}

/**
 * What the records alone can tell: the objects of the kind and the adapter that are meant, so that the cluster is asked about no others.
 * Throws a UserError for a kind or an adapter that nothing is of.
 */
export function selectRecordedInstances<T extends RecordedInstance>(
  all: readonly T[],
  { kind, adapter }: InstanceFilter,
): readonly T[] {
  if (kind !== undefined && !all.some(kind.is)) throw noSuchKind(kind.text, all);
  if (adapter !== undefined && !all.some((each) => isBy(each, adapter))) {
    throw noSuchAdapter(adapter, all);
  }
  return all.filter(
    (each) =>
      (kind === undefined || kind.is(each)) && (adapter === undefined || isBy(each, adapter)),
  );
}

/** The objects that are meant, and only deployments that have one where a filter is given. */
export function selectInstances(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): readonly DeploymentState[] {
  const meant = meantAmong(states, filter);
  if (isEmpty(filter)) return states;
  return states
    .map((state) => ({ ...state, instances: state.instances.filter((each) => meant.has(each)) }))
    .filter(({ instances }) => instances.length > 0);
}

/** The deployments that have an object that is meant, each with all of its objects: its state is that of the whole. */
export function selectDeployments(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): readonly DeploymentState[] {
  const { unhealthy, ...others } = filter;
  // One whose records can't be read, or of which nothing has succeeded, has no object to be told by.
  if (isEmpty(others)) {
    return unhealthy === true ? states.filter((each) => !isHealthyDeployment(each)) : states;
  }
  const meant = meantAmong(states, filter);
  return states.filter(({ instances }) => instances.some((each) => meant.has(each)));
}

function isEmpty({ kind, adapter, labels, unhealthy }: InstanceFilter): boolean {
  return [kind, adapter, labels].every((each) => each === undefined) && unhealthy !== true;
}

function meantAmong(
  states: readonly DeploymentState[],
  filter: InstanceFilter,
): ReadonlySet<Instance> {
  const { labels, unhealthy } = filter;
  const all = states.flatMap(({ instances }) => instances);
  return new Set(
    selectRecordedInstances(all, filter).filter(
      (each) =>
        (labels === undefined || labels(labelsOf(each))) && (unhealthy !== true || !each.isHealthy),
    ),
  );
}

/** Every adapter on the way to an object counts: who asks for one wants what it brought. */
function isBy({ paths }: RecordedInstance, adapter: string): boolean {
  return paths.flat().some((pattern) => pattern === adapter || lastPart(pattern) === adapter);
}

function lastPart(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf("/") + 1);
}

function labelsOf({ live }: Instance): JsonObject {
  const labels = at(live, "metadata", "labels");
  return isObject(labels) ? labels : {};
}

const mostListed = 30;

function noSuchKind(text: string, all: readonly RecordedInstance[]): UserError {
  const kinds = [...new Set(all.map(({ id }) => id.kind))].toSorted();
  const what = `No object of the kind ${text} is deployed here${didYouMean(text, kinds)}`;
  return userError("unknown-kind", what, whatThereIs("kinds", kinds));
}

function noSuchAdapter(text: string, all: readonly RecordedInstance[]): UserError {
  const adapters = [...new Set(all.flatMap(({ paths }) => paths.flat()))].toSorted();
  const names = adapters.flatMap((pattern) => [pattern, lastPart(pattern)]);
  const what = `Nothing that is deployed here came from an adapter ${text}${didYouMean(text, names)}`;
  return userError("ambiguous-selection", what, whatThereIs("adapters", adapters));
}

function whatThereIs(what: string, names: readonly string[]): string {
  return names.length === 0
    ? "Nothing is deployed here; --all-namespaces looks everywhere"
    : `There are the ${what} ${listed(names, mostListed)}`;
}

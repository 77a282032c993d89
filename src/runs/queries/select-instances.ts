import { at, isObject, type JsonObject } from "../../model/json.ts";
import { type UserError, userError } from "../../model/problems/errors.ts";
import type { DeploymentState, Instance } from "../../model/queries.ts";
import { didYouMean, listed } from "../../model/text/closest.ts";

/** Which objects are meant. Every part that is given has to fit. */
export interface InstanceFilter {
  /** As it was written, and whether an object is of it. */
  readonly kind?: { readonly text: string; is(instance: Instance): boolean } | undefined;
  /** Import path of an adapter, or its last part. */
  readonly adapter?: string | undefined;
  readonly labels?: ((labels: JsonObject) => boolean) | undefined;
  readonly unhealthy?: boolean | undefined;
}

/**
 * The deployments with those of their objects that are meant; where a filter is given, only deployments that have such an object.
 * Throws a UserError for a kind or an adapter that nothing is of.
 */
export function selectInstances(
  states: readonly DeploymentState[],
  { kind, adapter, labels, unhealthy }: InstanceFilter,
): readonly DeploymentState[] {
  const all = states.flatMap(({ instances }) => instances);
  if (kind !== undefined && !all.some(kind.is)) throw noSuchKind(kind.text, all);
  if (adapter !== undefined && !all.some((each) => isBy(each, adapter))) {
    throw noSuchAdapter(adapter, all);
  }
  const tests: readonly ((instance: Instance) => boolean)[] = [
    ...(kind === undefined ? [] : [kind.is]),
    ...(adapter === undefined ? [] : [(each: Instance) => isBy(each, adapter)]),
    ...(labels === undefined ? [] : [(each: Instance) => labels(labelsOf(each))]),
    ...(unhealthy === true ? [(each: Instance) => !each.isHealthy] : []),
  ];
  if (tests.length === 0) return states;
  return states
    .map((state) => ({
      ...state,
      instances: state.instances.filter((each) => tests.every((test) => test(each))),
    }))
    .filter(({ instances }) => instances.length > 0);
}

/** Every adapter on the way to an object counts: who asks for one wants what it brought. */
function isBy({ paths }: Instance, adapter: string): boolean {
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

function noSuchKind(text: string, all: readonly Instance[]): UserError {
  const kinds = [...new Set(all.map(({ id }) => id.kind))].toSorted();
  const what = `No object of the kind ${text} is deployed here${didYouMean(text, kinds)}`;
  return userError("unknown-kind", what, whatThereIs("kinds", kinds));
}

function noSuchAdapter(text: string, all: readonly Instance[]): UserError {
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

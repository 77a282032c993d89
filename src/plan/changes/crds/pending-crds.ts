import { definesKind, isCrd } from "../../../model/cluster/namespaces-and-crds.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { noUpstreamDeployments, type UpstreamChange } from "../../../model/upstream-deployments.ts";
import { customTypes } from "../../../schema/custom-types.ts";
import { storedValue } from "../../../schema/stored-value.ts";
import { createPlanBudget, type WorkBudget } from "../../../schema/work-budget.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";
import { allDependencies } from "../../upstream-deployments.ts";

/**
 * A CustomResourceDefinition that this or an upstream deployment creates or changes first.
 * The API server then judges by it instead of by its present definition.
 */
export interface PendingCrd extends CrdChange {
  /** The work budget for all objects of the kinds that this plan defines. */
  readonly budget: WorkBudget;
}

interface CrdChange {
  readonly key: string;
  readonly object: KubeObject;
  readonly isNew: boolean;
  /** Returns the type for a key such as `example.com/v1/Kind`. */
  readonly typeOf: (key: string) => ObjectType | undefined;
}

/** The definitions that this or an upstream deployment creates or changes, by their keys. */
export type PendingCrds = ReadonlyMap<string, PendingCrd>;

export function collectPendingCrds({
  rules: { upstream = noUpstreamDeployments },
  desired: { objects },
  observed: { live, dryRuns },
}: PlanInput): PendingCrds {
  const own = objects
    .filter(({ id }) => isCrd(id))
    .flatMap(({ key, object }): readonly CrdChange[] => {
      const before = live.get(key);
      const answer = dryRuns.get(key)?.answer;
      if (before === undefined) return [toCrdChange(key, object, true)];
      if (answer?.ok !== true) return [];
      return crdChanges(key, before, answer.value);
    });
  const others = [...upstream.changes.values()].filter(({ id }) => isCrd(id));
  const found = [...others.flatMap(upstreamCrdChanges), ...own];
  const budget = createPlanBudget();
  return new Map(found.map((definition) => [definition.key, { ...definition, budget }]));
}

/** Returns the definition that an upstream deployment creates or changes. */
function upstreamCrdChanges({
  key,
  desired,
  live,
  predicted,
}: UpstreamChange): readonly CrdChange[] {
  if (live === undefined) return [toCrdChange(key, predicted ?? desired, true)];
  return predicted === undefined ? [] : crdChanges(key, live, predicted);
}

function crdChanges(key: string, before: KubeObject, after: KubeObject): readonly CrdChange[] {
  const isSame = sameJson(at(before, "spec", "versions"), at(after, "spec", "versions"));
  return isSame ? [] : [toCrdChange(key, after, false)];
}

function toCrdChange(key: string, object: KubeObject, isNew: boolean): CrdChange {
  return { key, object, isNew, typeOf: customTypes([object], "any") };
}

export function findPendingCrd(
  desired: Pick<DesiredObject, "key" | "id">,
  links: Pick<PlanInput["desired"], "edges" | "upstreamEdges">,
  crds: PendingCrds,
): PendingCrd | undefined {
  if (crds.size === 0) return undefined;
  return (
    allDependencies(desired.key, links)
      .flatMap(({ on }) => crds.get(on) ?? [])
      // An annotation can add a dependency on another definition.
      .find(({ object }) => definesKind(object, desired.id))
  );
}

/** Returns the object as the API server will store it by the definition. */
export function storedObject(
  { apiVersion, kind, metadata, ...rest }: KubeObject,
  crd: PendingCrd,
): KubeObject {
  const schema = versionSchema({ apiVersion }, crd);
  const stored = schema === undefined ? rest : storedValue(rest, schema);
  return { ...(stored as JsonObject), apiVersion, kind, metadata };
}

/** Returns the schema of the definition for the version of the object. */
export function versionSchema(
  { apiVersion }: Pick<KubeObject, "apiVersion">,
  crd: CrdChange,
): JsonObject | undefined {
  const schema = at(crdVersion(crd, apiVersion), "schema", "openAPIV3Schema");
  return isObject(schema) ? schema : undefined;
}

export function crdVersion({ object }: CrdChange, apiVersion: string): Json | undefined {
  const name = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return listAt(object, "spec", "versions").find((each) => textAt(each, "name") === name);
}

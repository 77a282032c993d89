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
import { asStored } from "../../../schema/as-stored.ts";
import { customTypes } from "../../../schema/custom-types.ts";
import { budgetOfPlan, type WorkBudget } from "../../../schema/work-budget.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { waitedFor } from "../../earlier.ts";
import type { PlanInput } from "../../plan-input.ts";

/**
 * A CustomResourceDefinition that this or an upstream deployment creates or changes first.
 * The API server then judges by it instead of by its present definition.
 */
export interface ComingDefinition extends Defined {
  /** The work budget for all objects of the kinds that this plan defines. */
  readonly budget: WorkBudget;
}

interface Defined {
  readonly key: string;
  readonly object: KubeObject;
  readonly isNew: boolean;
  /** Returns the type for a key such as `example.com/v1/Kind`. */
  readonly typeOf: (key: string) => ObjectType | undefined;
}

/** The definitions that this or an upstream deployment creates or changes, by their keys. */
export type ComingDefinitions = ReadonlyMap<string, ComingDefinition>;

export function comingDefinitions({
  rules: { earlier = noUpstreamDeployments },
  desired: { objects },
  observed: { live, dryRuns },
}: PlanInput): ComingDefinitions {
  const own = objects
    .filter(({ id }) => isCrd(id))
    .flatMap(({ key, object }): readonly Defined[] => {
      const before = live.get(key);
      const answer = dryRuns.get(key)?.answer;
      if (before === undefined) return [coming(key, object, true)];
      if (answer?.ok !== true) return [];
      return changed(key, before, answer.value);
    });
  const others = [...earlier.changes.values()].filter(({ id }) => isCrd(id));
  const found = [...others.flatMap(definedBefore), ...own];
  const budget = budgetOfPlan();
  return new Map(found.map((definition) => [definition.key, { ...definition, budget }]));
}

/** Returns the definition that an upstream deployment creates or changes. */
function definedBefore({ key, desired, live, predicted }: UpstreamChange): readonly Defined[] {
  if (live === undefined) return [coming(key, predicted ?? desired, true)];
  return predicted === undefined ? [] : changed(key, live, predicted);
}

function changed(key: string, before: KubeObject, after: KubeObject): readonly Defined[] {
  const isSame = sameJson(at(before, "spec", "versions"), at(after, "spec", "versions"));
  return isSame ? [] : [coming(key, after, false)];
}

function coming(key: string, object: KubeObject, isNew: boolean): Defined {
  return { key, object, isNew, typeOf: customTypes([object], "any") };
}

export function comingDefinition(
  desired: Pick<DesiredObject, "key" | "id">,
  links: Pick<PlanInput["desired"], "edges" | "toEarlier">,
  definitions: ComingDefinitions,
): ComingDefinition | undefined {
  if (definitions.size === 0) return undefined;
  return (
    waitedFor(desired.key, links)
      .flatMap(({ on }) => definitions.get(on) ?? [])
      // An annotation can add a dependency on another definition.
      .find(({ object }) => definesKind(object, desired.id))
  );
}

/** Returns the object as the API server will store it by the definition. */
export function storedBy(
  { apiVersion, kind, metadata, ...rest }: KubeObject,
  definition: ComingDefinition,
): KubeObject {
  const schema = schemaOf({ apiVersion }, definition);
  const stored = schema === undefined ? rest : asStored(rest, schema);
  return { ...(stored as JsonObject), apiVersion, kind, metadata };
}

/** Returns the schema of the definition for the version of the object. */
export function schemaOf(
  { apiVersion }: Pick<KubeObject, "apiVersion">,
  definition: Defined,
): JsonObject | undefined {
  const schema = at(versionIn(definition, apiVersion), "schema", "openAPIV3Schema");
  return isObject(schema) ? schema : undefined;
}

export function versionIn({ object }: Defined, apiVersion: string): Json | undefined {
  const name = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return listAt(object, "spec", "versions").find((each) => textAt(each, "name") === name);
}

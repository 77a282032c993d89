import { knownLater } from "../../model/apply-time-reference.ts";
import { definesKind, isDefinition } from "../../model/cluster/holder.ts";
import { type EarlierChange, nothingEarlier } from "../../model/earlier.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import type { ObjectType } from "../../model/fields/field-type.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import { declaredAt, fieldsOf, type Problem } from "../../model/problems/problem.ts";
import { asStored } from "../../schema/as-stored.ts";
import { customTypes } from "../../schema/custom-types.ts";
import { judgeBySchema, withoutMetadata } from "../../schema/judge-by-schema.ts";
import { type Misfit, misfitsIn } from "../../schema/misfits.ts";
import { staysAsItWas } from "../../schema/ratcheting.ts";
import { isWithinOpen } from "../../schema/structural.ts";
import { budgetOfPlan, type WorkBudget } from "../../schema/work-budget.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { waitedFor } from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";

/** A CustomResourceDefinition that this deployment creates or changes first: the server judges by it then, not by what it has now. */
export interface ComingDefinition extends Defined {
  /** For all objects of the kinds that this plan defines. */
  readonly budget: WorkBudget;
}

interface Defined {
  readonly key: string;
  readonly object: KubeObject;
  readonly isNew: boolean;
  /** `example.com/v1/Kind` → its type. */
  readonly typeOf: (key: string) => ObjectType | undefined;
}

/** Those that this deployment creates or changes, by their keys. */
export type ComingDefinitions = ReadonlyMap<string, ComingDefinition>;

export function comingDefinitions({
  rules: { earlier = nothingEarlier },
  desired: { objects },
  observed: { live, dryRuns },
}: PlanInput): ComingDefinitions {
  const own = objects
    .filter(({ id }) => isDefinition(id))
    .flatMap(({ key, object }): readonly Defined[] => {
      const before = live.get(key);
      const answer = dryRuns.get(key)?.answer;
      if (before === undefined) return [coming(key, object, true)];
      if (answer?.ok !== true) return [];
      return changed(key, before, answer.value);
    });
  const others = [...earlier.changes.values()].filter(({ id }) => isDefinition(id));
  const found = [...others.flatMap(definedBefore), ...own];
  const budget = budgetOfPlan();
  return new Map(found.map((definition) => [definition.key, { ...definition, budget }]));
}

/** By a deployment that goes first. */
function definedBefore({ key, desired, live, predicted }: EarlierChange): readonly Defined[] {
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
      // An edge may also lead to another definition, as an annotation says.
      .find(({ object }) => definesKind(object, desired.id))
  );
}

interface DefinitionVerdict {
  /** What the server would refuse. They quote no value. */
  readonly problems: readonly Problem[];
  /** What only the server can tell; completes the sentence "only the server can tell whether …". */
  readonly undecided?: string | undefined;
}

/** What the server will say by the definition, where `whole` is what it would make of the object. */
export function checkByDefinition(
  desired: DesiredObject,
  definition: ComingDefinition,
  whole: KubeObject,
  live: KubeObject | undefined,
): DefinitionVerdict {
  const { apiVersion, kind } = desired.object;
  const version = versionIn(definition, apiVersion);
  const about = { subjects: [nameOf(desired.id)], where: declaredAt(desired) };
  const problem = (code: Problem["code"], what: string, fix: string): Problem => ({
    ...{ code, ...about, what: `${nameOf(desired.id)}: ${what}`, fix },
  });
  const misfitProblem = (misfit: Misfit): Problem => ({
    ...problem(codeOf(misfit), sentence(misfit), fixOf(misfit)),
    about: fieldsOf(desired, [fieldPath(misfit.path)]),
  });
  if (version === undefined || at(version, "served") === false) {
    const what = `${apiVersion} is not served by the CustomResourceDefinition of ${kind} that this deployment applies`;
    return { problems: [problem("unknown-kind", what, "Use a version that it serves")] };
  }
  const schema = schemaOf(desired.object, definition);
  const type = definition.typeOf(`${apiVersion}/${kind}`);
  if (schema === undefined || type === undefined) return { problems: [] };
  const stored = storedBy(whole, definition);
  const content = withoutMetadata(stored);
  const before = live?.apiVersion === apiVersion ? storedBy(live, definition) : undefined;
  const former = before && withoutMetadata(before);
  const misfits = misfitsIn(desired.object, type, isKnownLater).filter(({ misfit, path }) => {
    if (misfit === "unknown") return !isWithinOpen(path, schema);
    if (misfit === "type") return true;
    // Others may have set what is required, and nobody has to set it in what stays as it was.
    const isThere = at(whole, ...path) !== undefined;
    return !isThere && !staysAsItWas(path, content, former, schema);
  });
  const { violations, undecided } = judgeBySchema(
    {
      ...{ declared: withoutMetadata(desired.object), stored, before },
      metadata: at(desired.object, "metadata"),
    },
    schema,
    { isOpen: isKnownLater, budget: definition.budget, hasMisfits: misfits.length > 0 },
  );
  return {
    problems: [
      ...misfits.map(misfitProblem),
      ...violations.map(({ path, what }) =>
        problem("invalid-object", `${fieldPath(path)} ${what}`.trimStart(), correct),
      ),
    ],
    undecided: undecided && `${fieldPath(undecided.path) || "it"} ${undecided.what}`,
  };
}

/** What the server will store, by the same definition. */
export function storedBy(
  { apiVersion, kind, metadata, ...rest }: KubeObject,
  definition: ComingDefinition,
): KubeObject {
  const schema = schemaOf({ apiVersion }, definition);
  const stored = schema === undefined ? rest : asStored(rest, schema);
  return { ...(stored as JsonObject), apiVersion, kind, metadata };
}

/** What the definition says of objects of that version. */
export function schemaOf(
  { apiVersion }: Pick<KubeObject, "apiVersion">,
  definition: Defined,
): JsonObject | undefined {
  const schema = at(versionIn(definition, apiVersion), "schema", "openAPIV3Schema");
  return isObject(schema) ? schema : undefined;
}

function versionIn({ object }: Defined, apiVersion: string): Json | undefined {
  const name = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return listAt(object, "spec", "versions").find((each) => textAt(each, "name") === name);
}

export function isKnownLater(value: Json): boolean {
  return typeof value === "string" && value.includes(knownLater);
}

function codeOf({ misfit }: Misfit): Problem["code"] {
  return misfit === "unknown" ? "unknown-field" : "invalid-object";
}

function sentence(misfit: Misfit): string {
  const field = fieldPath(misfit.path);
  switch (misfit.misfit) {
    case "unknown":
      return `${field} is no field of this kind`;
    case "type":
      return `${field} must be of type ${misfit.expected}, and is of type ${misfit.found}`;
    case "missing":
      return `${field} is required`;
  }
}

const correct = "Correct the value in the adapter, or in the parameter that it is made from";

function fixOf(misfit: Misfit): string {
  switch (misfit.misfit) {
    case "unknown":
      return misfit.meant === undefined
        ? "Remove it, or declare it in the CustomResourceDefinition"
        : `Did you mean "${misfit.meant}"?`;
    case "type":
      return correct;
    case "missing":
      return "Set it in the adapter";
  }
}

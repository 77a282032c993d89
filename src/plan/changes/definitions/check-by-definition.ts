import { knownLater } from "../../../model/apply-time-reference.ts";
import { fieldPath } from "../../../model/fields/field-path.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import { at, type Json, type JsonObject } from "../../../model/json.ts";
import { type KubeObject, nameOf } from "../../../model/object.ts";
import { declaredAt, fieldsOf, type Problem } from "../../../model/problems/problem.ts";
import { judgeBySchema, withoutMetadata } from "../../../schema/judge-by-schema.ts";
import { type Misfit, misfitsIn } from "../../../schema/misfits.ts";
import { staysAsItWas } from "../../../schema/ratcheting.ts";
import { type Unreadable, unreadableIn } from "../../../schema/readable.ts";
import { isWithinOpen } from "../../../schema/structural.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { correction, type PlannedRecord } from "../problems/record-cures.ts";
import { type ComingDefinition, schemaOf, storedBy, versionIn } from "./coming-definitions.ts";

interface DefinitionVerdict {
  /** What the server would refuse. They quote no value. */
  readonly problems: readonly Problem[];
  /** What only the server can tell; completes the sentence "only the server can tell whether …". */
  readonly undecided?: string | undefined;
}

interface JudgedObject {
  /** What the server would make of it. */
  readonly whole: KubeObject;
  readonly live: KubeObject | undefined;
  readonly record: PlannedRecord | undefined;
  /** Whether it is written: only then the server has to merge. */
  readonly isWritten: boolean;
  /** Of what is live only what is declared may be named. */
  readonly isWithheld: boolean;
}

/** What the server will say by the definition. */
export function checkByDefinition(
  desired: DesiredObject,
  definition: ComingDefinition,
  { whole, live, record, isWritten, isWithheld }: JudgedObject,
): DefinitionVerdict {
  const { apiVersion, kind } = desired.object;
  const version = versionIn(definition, apiVersion);
  if (version === undefined || at(version, "served") === false) {
    const what = `${apiVersion} is not served by the CustomResourceDefinition of ${kind} that this deployment applies`;
    return { problems: [problemOf(desired, "unknown-kind", what, "Use a version that it serves")] };
  }
  const schema = schemaOf(desired.object, definition);
  const type = definition.typeOf(`${apiVersion}/${kind}`);
  if (schema === undefined || type === undefined) return { problems: [] };
  const stored = storedBy(whole, definition);
  const before = live?.apiVersion === apiVersion ? storedBy(live, definition) : undefined;
  const unreadable = before === undefined || !isWritten ? [] : unreadableIn(before, schema);
  const misfits = misfitsOf(desired, { type, schema }, { whole, stored, before });
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
      ...misfits.map((misfit) => misfitProblem(desired, misfit, record)),
      ...unreadable.map((each) => unreadableProblem(desired, each, isWithheld)),
      ...violations.map(({ path, what }) =>
        problemOf(
          desired,
          "invalid-object",
          `${fieldPath(path)} ${what}`.trimStart(),
          correction(record),
        ),
      ),
    ],
    undecided: undecided && `${fieldPath(undecided.path) || "it"} ${undecided.what}`,
  };
}

/** Others may have set what is required, and nobody has to set it in what stays as it was. */
function misfitsOf(
  { object }: DesiredObject,
  { type, schema }: { readonly type: ObjectType; readonly schema: JsonObject },
  {
    whole,
    stored,
    before,
  }: {
    readonly whole: KubeObject;
    readonly stored: KubeObject;
    readonly before: KubeObject | undefined;
  },
): readonly Misfit[] {
  const content = withoutMetadata(stored);
  const former = before && withoutMetadata(before);
  return misfitsIn(object, type, isKnownLater).filter(({ misfit, path }) => {
    if (misfit === "unknown") return !isWithinOpen(path, schema);
    if (misfit === "type") return true;
    const isThere = at(whole, ...path) !== undefined;
    return !isThere && !staysAsItWas(path, content, former, schema);
  });
}

/** What others have put there may not be told of their object. */
function unreadableProblem(
  desired: DesiredObject,
  { path, type }: Unreadable,
  isWithheld: boolean,
): Problem {
  const isTold = !isWithheld || at(desired.object, ...path) !== undefined;
  const field = isTold ? fieldPath(path) : "a field that is not declared";
  const what = `${field} is there, and is not of type ${type}, which the CustomResourceDefinition has for it from now on: the API server can't merge what is declared into that`;
  const fix =
    path[0] === "status"
      ? "Change the definition first, and the object once its controller has written its status again"
      : "Give the field of the new type another name, have whoever wrote the old one write it again, or delete the object first if nothing is lost with it";
  return problemOf(desired, "invalid-object", what, fix);
}

export function isKnownLater(value: Json): boolean {
  return typeof value === "string" && value.includes(knownLater);
}

function problemOf(
  desired: DesiredObject,
  code: Problem["code"],
  what: string,
  fix: string,
): Problem {
  const name = nameOf(desired.id);
  return { code, subjects: [name], where: declaredAt(desired), what: `${name}: ${what}`, fix };
}

function misfitProblem(
  desired: DesiredObject,
  misfit: Misfit,
  record: PlannedRecord | undefined,
): Problem {
  const problem = problemOf(desired, codeOf(misfit), sentence(misfit), fixOf(misfit, record));
  return { ...problem, about: fieldsOf(desired, [fieldPath(misfit.path)]) };
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

function fixOf(misfit: Misfit, record: PlannedRecord | undefined): string {
  switch (misfit.misfit) {
    case "unknown":
      return misfit.meant === undefined
        ? "Remove it, or declare it in the CustomResourceDefinition"
        : `Did you mean "${misfit.meant}"?`;
    case "type":
      return correction(record);
    case "missing":
      return "Set it in the adapter";
  }
}

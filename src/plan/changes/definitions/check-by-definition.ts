import { isKnownAfterDeploy } from "../../../model/apply-time-reference.ts";
import { fieldPath } from "../../../model/fields/field-path.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import { at, type Json, type JsonObject } from "../../../model/json.ts";
import { type KubeObject, nameOf } from "../../../model/object.ts";
import {
  declarationPlaces,
  type Problem,
  resourceFields,
} from "../../../model/problems/problem.ts";
import { judgeBySchema, withoutMetadata } from "../../../schema/judge-by-schema.ts";
import { type Misfit, misfitsIn } from "../../../schema/misfits.ts";
import { staysAsItWas } from "../../../schema/ratcheting.ts";
import { type Unreadable, unreadableIn } from "../../../schema/readable.ts";
import { isWithinOpen } from "../../../schema/structural.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { type Cure, correction, type PlannedRecord } from "../problems/record-cures.ts";
import { type ComingDefinition, schemaOf, storedBy, versionIn } from "./coming-definitions.ts";
import { withoutSecretValues } from "./without-secret-values.ts";

interface DefinitionVerdict {
  /** The errors with which the API server would reject the object. They quote no values. */
  readonly problems: readonly Problem[];
  /** The question that only the API server can answer, as a clause after "whether". */
  readonly undecided?: string | undefined;
}

interface JudgedObject {
  /** The object that the API server would store. */
  readonly whole: KubeObject;
  readonly live: KubeObject | undefined;
  readonly record: PlannedRecord | undefined;
  /** True if qvs writes the object. Otherwise, the API server doesn't have to merge it. */
  readonly isWritten: boolean;
  /** True if messages can name only the declared fields of the live object. */
  readonly isWithheld: boolean;
}

/** Checks an object by the definition, as the API server will. */
export function checkByDefinition(
  desired: DesiredObject,
  definition: ComingDefinition,
  { record, isWritten, isWithheld, ...judgedAs }: JudgedObject,
): DefinitionVerdict {
  const whole = withoutSecretValues(judgedAs.whole, desired);
  const live = judgedAs.live && withoutSecretValues(judgedAs.live, desired);
  const { apiVersion, kind } = desired.object;
  const version = versionIn(definition, apiVersion);
  if (version === undefined || at(version, "served") === false) {
    const unserved = problemOf(desired, "unknown-kind", `${apiVersion} isn't served`, {
      why: `The CustomResourceDefinition of ${kind} that this deployment applies doesn't serve this version`,
      fix: "Use a version that the CustomResourceDefinition serves",
    });
    return { problems: [unserved] };
  }
  const schema = schemaOf(desired.object, definition);
  const type = definition.typeOf(`${apiVersion}/${kind}`);
  if (schema === undefined || type === undefined) return { problems: [] };
  const stored = storedBy(whole, definition);
  const before = live?.apiVersion === apiVersion ? storedBy(live, definition) : undefined;
  const unreadable = before === undefined || !isWritten ? [] : unreadableIn(before, schema);
  const isConverted = live !== undefined && before === undefined;
  const misfits = misfitsOf(desired, { type, schema }, { stored, before, isConverted });
  const named = (path: readonly string[]) =>
    isWithheld && at(desired.object, ...path) === undefined ? undeclared : fieldPath(path);
  const judged = judgeBySchema(
    {
      ...{ declared: withoutMetadata(desired.object), before, isConverted },
      stored: isWithheld ? storedBy(desired.object, definition) : stored,
      metadata: at(desired.object, "metadata"),
    },
    schema,
    { isOpen: isKnownAfterDeploy, budget: definition.budget, hasMisfits: misfits.length > 0 },
  );
  const { violations, undecided } = isWithheld ? onlyCertain(judged, desired) : judged;
  return {
    problems: [
      ...misfits.map((misfit) => misfitProblem(desired, misfit, record, named)),
      ...unreadable.map((each) => unreadableProblem(desired, each, named)),
      ...violations.map(({ path, what, fix }) =>
        problemOf(
          desired,
          "invalid-object",
          `${path.length === 0 ? "" : named(path)} ${what}`.trimStart(),
          fix === undefined || record !== undefined ? correction(record) : { fix },
        ),
      ),
    ],
    undecided: undecided && `${fieldPath(undecided.path) || "it"} ${undecided.what}`,
  };
}

/**
 * Keeps only the violations that are certain without the withheld values.
 * The author of a definition could read values of other owners through its rules, so qvs checks the
 * object without them. Violations are then certain only for declared values and for values that
 * can't be merged. The withheld values can break or satisfy any other rule.
 */
function onlyCertain(
  { violations, undecided }: ReturnType<typeof judgeBySchema>,
  { object }: DesiredObject,
): ReturnType<typeof judgeBySchema> {
  const isValue = (value: Json | undefined) => value !== undefined && typeof value !== "object";
  const certain = violations.filter(
    ({ path, isUnmergeable }) =>
      path[0] === "metadata" || isUnmergeable === true || isValue(at(object, ...path)),
  );
  const open = { path: [], what: "is valid together with the fields of other managers" };
  return {
    violations: certain,
    undecided: certain.length < violations.length ? open : undecided,
  };
}

/** The text for an undeclared field if the live object is withheld. */
const undeclared = "an undeclared field";

type Named = (path: readonly string[]) => string;

/**
 * Lists the fields that don't fit the type.
 * Declared fields must have the declared type. Other managers might have set required fields, and
 * their own parts can also lack some. Parts that stay as they were can lack required fields.
 */
function misfitsOf(
  { object }: DesiredObject,
  { type, schema }: { readonly type: ObjectType; readonly schema: JsonObject },
  {
    stored,
    before,
    isConverted,
  }: {
    readonly stored: KubeObject;
    readonly before: KubeObject | undefined;
    readonly isConverted: boolean;
  },
): readonly Misfit[] {
  const content = withoutMetadata(stored);
  const former = before && withoutMetadata(before);
  const own = misfitsIn(object, type, isKnownAfterDeploy).filter(
    ({ misfit, path }) =>
      misfit === "type" || (misfit === "unknown" && !isWithinOpen(path, schema)),
  );
  const whole = { ...stored, metadata: object.metadata };
  const missing = misfitsIn(whole, type, isKnownAfterDeploy).filter(
    ({ misfit, path }) =>
      misfit === "missing" &&
      !staysAsItWas(path, content, former, schema) &&
      !(isConverted && at(object, ...path.slice(0, -1)) === undefined),
  );
  return [...own, ...missing];
}

/**
 * Describes a live value that the API server can't merge with the declared type.
 * It must not reveal values of other managers in their object.
 */
function unreadableProblem(
  desired: DesiredObject,
  { path, type }: Unreadable,
  named: Named,
): Problem {
  return problemOf(
    desired,
    "invalid-object",
    `${named(path)} isn't of type ${type} in the cluster`,
    {
      why: "The changed CustomResourceDefinition requires this type, and the API server can't merge the declared value into the live one",
      ...(path[0] === "status" ? definitionFirst : anotherField),
    },
  );
}

const definitionFirst: Cure = {
  fix: "Deploy the CustomResourceDefinition first, and the object after its controller has written the status again",
};

const anotherField: Cure = {
  fix: "Give the field of the new type another name",
  otherwise: [
    "let the owner of the old field write it again",
    "delete the object first if nothing is lost with it",
  ],
};

function problemOf(
  desired: DesiredObject,
  code: Problem["code"],
  what: string,
  cure: Cure & Pick<Problem, "facts">,
): Problem {
  const name = nameOf(desired.id);
  return {
    code,
    subjects: [name],
    where: declarationPlaces(desired),
    what: `${name}: ${what}`,
    ...cure,
  };
}

function misfitProblem(
  desired: DesiredObject,
  misfit: Misfit,
  record: PlannedRecord | undefined,
  named: Named,
): Problem {
  const problem = problemOf(desired, codeOf(misfit), sentence(misfit, named), {
    ...typesIn(misfit),
    ...fixOf(misfit, record),
  });
  return { ...problem, about: resourceFields(desired, [fieldPath(misfit.path)]) };
}

function codeOf({ misfit }: Misfit): Problem["code"] {
  return misfit === "unknown" ? "unknown-field" : "invalid-object";
}

function sentence(misfit: Misfit, named: Named): string {
  // A missing field isn't declared. Its parent might be.
  const { path } = misfit;
  const isTold = named(misfit.misfit === "missing" ? path.slice(0, -1) : path) !== undeclared;
  const field = isTold ? fieldPath(path) : undeclared;
  switch (misfit.misfit) {
    case "unknown":
      return `${field} isn't a field of this kind`;
    case "type":
      return `${field} has the wrong type`;
    case "missing":
      return `${field} is required`;
  }
}

function typesIn(misfit: Misfit): Pick<Problem, "facts"> {
  if (misfit.misfit !== "type") return {};
  return {
    facts: [
      { label: "expected", value: misfit.expected },
      { label: "found", value: misfit.found },
    ],
  };
}

function fixOf(misfit: Misfit, record: PlannedRecord | undefined): Cure {
  switch (misfit.misfit) {
    case "unknown":
      return misfit.meant === undefined
        ? { fix: "Remove the field", otherwise: ["declare it in the CustomResourceDefinition"] }
        : { fix: `Did you mean "${misfit.meant}"?` };
    case "type":
      return correction(record);
    case "missing":
      return { fix: "Set the field in the adapter" };
  }
}

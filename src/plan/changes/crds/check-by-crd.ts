import { crdVersion } from "../../../model/cluster/namespaces-and-crds.ts";
import { fieldPath } from "../../../model/fields/field-path.ts";
import type { ObjectType } from "../../../model/fields/field-type.ts";
import { at, type Json, type JsonObject } from "../../../model/json.ts";
import { type KubeObject, nameOf } from "../../../model/object.ts";
import { isKnownAfterDeploy } from "../../../model/plan/apply-time-reference.ts";
import {
  declarationPlaces,
  type Problem,
  resourceFields,
} from "../../../model/problems/problem.ts";
import { type SchemaViolation, schemaViolations } from "../../../validation/schema-violations.ts";
import {
  isInOpenObject,
  isUnchanged,
  type TypeMismatch,
  typeMismatches,
} from "../../../validation/structural.ts";
import { validateBySchema, withoutCommonFields } from "../../../validation/validate-by-schema.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { correctionFix, type PlannedRecord, type ProblemFix } from "../problems/record-fixes.ts";
import { maskSecretValues, type PendingCrd, storedObject, versionSchema } from "./pending-crds.ts";

interface CrdVerdict {
  /** The errors with which the API server would reject the object. They quote no values. */
  readonly problems: readonly Problem[];
  /** The question that only the API server can answer, as a clause after "whether". */
  readonly undecided?: string | undefined;
}

interface CrdCheckInput {
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
export function checkByCrd(
  desired: DesiredObject,
  crd: PendingCrd,
  { record, isWritten, isWithheld, ...judgedAs }: CrdCheckInput,
): CrdVerdict {
  const whole = maskSecretValues(judgedAs.whole, desired);
  const live = judgedAs.live && maskSecretValues(judgedAs.live, desired);
  const { apiVersion, kind } = desired.object;
  const version = crdVersion(crd.object, apiVersion);
  if (version === undefined || at(version, "served") === false) {
    const unserved = crdProblem(desired, "unknown-kind", `${apiVersion} isn't served`, {
      why: `The CustomResourceDefinition of ${kind} that this deployment applies doesn't serve this version`,
      fix: "Use a version that the CustomResourceDefinition serves",
    });
    return { problems: [unserved] };
  }
  const schema = versionSchema(desired.object, crd);
  const type = crd.typeOf(`${apiVersion}/${kind}`);
  if (schema === undefined || type === undefined) return { problems: [] };
  const stored = storedObject(whole, crd);
  const before = live?.apiVersion === apiVersion ? storedObject(live, crd) : undefined;
  const mismatches = before === undefined || !isWritten ? [] : typeMismatches(before, schema);
  const isConverted = live !== undefined && before === undefined;
  const structureViolations = findSchemaViolations(
    desired,
    { type, schema },
    { stored, before, isConverted },
  );
  const formatPath = (path: readonly string[]) =>
    isWithheld && at(desired.object, ...path) === undefined ? undeclaredField : fieldPath(path);
  const verdict = validateBySchema(
    {
      ...{ declared: withoutCommonFields(desired.object), before, isConverted },
      stored: isWithheld ? storedObject(desired.object, crd) : stored,
      metadata: at(desired.object, "metadata"),
    },
    schema,
    { isOpen: isKnownAfterDeploy, budget: crd.budget, hasMisfits: structureViolations.length > 0 },
  );
  const { violations, undecided } = isWithheld ? keepCertain(verdict, desired) : verdict;
  return {
    problems: [
      ...structureViolations.map((misfit) => violationProblem(desired, misfit, record, formatPath)),
      ...mismatches.map((each) => mismatchProblem(desired, each, formatPath)),
      ...violations.map(({ path, what, fix }) =>
        crdProblem(
          desired,
          "invalid-object",
          `${path.length === 0 ? "" : formatPath(path)} ${what}`.trimStart(),
          fix === undefined || record !== undefined ? correctionFix(record) : { fix },
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
function keepCertain(
  { violations, undecided }: ReturnType<typeof validateBySchema>,
  { object }: DesiredObject,
): ReturnType<typeof validateBySchema> {
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
const undeclaredField = "an undeclared field";

type FormatPath = (path: readonly string[]) => string;

/**
 * Lists the fields that don't fit the type.
 * Declared fields must have the declared type. Other managers might have set required fields, and
 * their own parts can also lack some. Parts that stay as they were can lack required fields.
 */
function findSchemaViolations(
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
): readonly SchemaViolation[] {
  const content = withoutCommonFields(stored);
  const previous = before && withoutCommonFields(before);
  const own = schemaViolations(object, type, isKnownAfterDeploy).filter(
    ({ misfit, path }) =>
      misfit === "type" || (misfit === "unknown" && !isInOpenObject(path, schema)),
  );
  const whole = { ...stored, metadata: object.metadata };
  const missing = schemaViolations(whole, type, isKnownAfterDeploy).filter(
    ({ misfit, path }) =>
      misfit === "missing" &&
      !isUnchanged(path, content, previous, schema) &&
      !(isConverted && at(object, ...path.slice(0, -1)) === undefined),
  );
  return [...own, ...missing];
}

/**
 * Describes a live value that the API server can't merge with the declared type.
 * It must not reveal values of other managers in their object.
 */
function mismatchProblem(
  desired: DesiredObject,
  { path, type }: TypeMismatch,
  formatPath: FormatPath,
): Problem {
  return crdProblem(
    desired,
    "invalid-object",
    `${formatPath(path)} isn't of type ${type} in the cluster`,
    {
      why: "The changed CustomResourceDefinition requires this type, and the API server can't merge the declared value into the live one",
      ...(path[0] === "status" ? deployCrdFirst : renameField),
    },
  );
}

const deployCrdFirst: ProblemFix = {
  fix: "Deploy the CustomResourceDefinition first, and the object after its controller has written the status again",
};

const renameField: ProblemFix = {
  fix: "Give the field of the new type another name",
  otherwise: [
    "let the owner of the old field write it again",
    "delete the object first if nothing is lost with it",
  ],
};

function crdProblem(
  desired: DesiredObject,
  code: Problem["code"],
  what: string,
  fix: ProblemFix & Pick<Problem, "facts">,
): Problem {
  const name = nameOf(desired.id);
  return {
    code,
    subjects: [name],
    where: declarationPlaces(desired),
    what: `${name}: ${what}`,
    ...fix,
  };
}

function violationProblem(
  desired: DesiredObject,
  violation: SchemaViolation,
  record: PlannedRecord | undefined,
  formatPath: FormatPath,
): Problem {
  const problem = crdProblem(
    desired,
    violationCode(violation),
    violationText(violation, formatPath),
    {
      ...typeFacts(violation),
      ...violationFix(violation, record),
    },
  );
  return { ...problem, about: resourceFields(desired, [fieldPath(violation.path)]) };
}

function violationCode({ misfit }: SchemaViolation): Problem["code"] {
  return misfit === "unknown" ? "unknown-field" : "invalid-object";
}

function violationText(violation: SchemaViolation, formatPath: FormatPath): string {
  // A missing field isn't declared. Its parent might be.
  const { path } = violation;
  const isNamed =
    formatPath(violation.misfit === "missing" ? path.slice(0, -1) : path) !== undeclaredField;
  const field = isNamed ? fieldPath(path) : undeclaredField;
  switch (violation.misfit) {
    case "unknown":
      return `${field} isn't a field of this kind`;
    case "type":
      return `${field} has the wrong type`;
    case "missing":
      return `${field} is required`;
  }
}

function typeFacts(violation: SchemaViolation): Pick<Problem, "facts"> {
  if (violation.misfit !== "type") return {};
  return {
    facts: [
      { label: "expected", value: violation.expected },
      { label: "found", value: violation.found },
    ],
  };
}

function violationFix(violation: SchemaViolation, record: PlannedRecord | undefined): ProblemFix {
  switch (violation.misfit) {
    case "unknown":
      return violation.suggestion === undefined
        ? { fix: "Remove the field", otherwise: ["declare it in the CustomResourceDefinition"] }
        : { fix: `Did you mean "${violation.suggestion}"?` };
    case "type":
      return correctionFix(record);
    case "missing":
      return { fix: "Set the field in the adapter" };
  }
}

import { fieldPath } from "../../model/fields/field-path.ts";
import { type Json, type JsonObject, textAt } from "../../model/json.ts";
import {
  type Fixes,
  type Position,
  type Problem,
  resourceFields,
} from "../../model/problems/problem.ts";
import type { Resource, Stage } from "../../model/sources/compilation.ts";
import { pulumiFunction, referencePieces } from "../../model/text/reference-text.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import {
  createTypeLookup,
  findField,
  findKind,
  type KindTypes,
  type KnownType,
  type KnownVersions,
} from "../../validation/kind-types.ts";
import {
  type ExpectedType,
  type FoundType,
  type SchemaViolation,
  schemaViolations,
} from "../../validation/schema-violations.ts";
import type { RawResource } from "../export-resources.ts";
import { distinctPlaces } from "../positions.ts";
import { hideSecretSteps, type Quoting } from "../problems/quoting.ts";

/**
 * The comparison of manifests with the schemas of their kinds
 * (docs/reference/adapters.md#fields-of-manifests).
 */
export interface SchemaCheck {
  readonly known: KnownVersions;
  readonly kinds: KindTypes;
  /** True if the user has chosen the version of the kinds. */
  readonly isChosen: boolean;
  /** CustomResourceDefinitions that aren't compiled. Compiled ones have priority. */
  readonly definitions: readonly JsonObject[];
  /** True if schema violations are errors instead of notices. */
  readonly strict: boolean;
}

/**
 * Compares the manifests of a compilation with the schemas of their kinds.
 * Only a strict check treats violations as errors and reports missing fields. The cluster can be
 * newer, and a manifest can declare only a part of an existing object. A strict check also returns
 * a notice for each unknown kind.
 */
export function checkManifests(
  raw: readonly RawResource[],
  resources: readonly Resource[],
  check: SchemaCheck,
  quoting: Quoting,
  cue: Cue,
): { readonly problems: readonly Problem[]; readonly notices: readonly Problem[] } {
  const { kinds, definitions, strict } = check;
  const values = new Map(raw.map(({ stage, id, value }) => [`${stage}/${id}`, value] as const));
  const manifests = resources.filter((each) => each.type === "manifest");
  const findType = createTypeLookup(kinds, [
    ...definitions,
    ...manifests.map(({ object }) => object),
  ]);
  const wrong: Problem[] = [];
  const missing: Problem[] = [];
  const unchecked = new Map<string, Problem>();
  for (const { stage, id, object, pulumi = false } of manifests) {
    const value = values.get(`${stage}/${id}`);
    const type = findType(textAt(object, "apiVersion") ?? "", textAt(object, "kind") ?? "");
    if (value === undefined) continue;
    if (type === undefined) {
      const kind = `${textAt(object, "apiVersion")}/${textAt(object, "kind")}`;
      const position = fieldPosition(value, [], cue);
      const elsewhere = check.isChosen ? findKind(kind, check.known) : undefined;
      if (elsewhere !== undefined)
        wrong.push(missingKind(`${stage}/${id}`, kind, elsewhere, kinds, position));
      else
        unchecked.set(
          kind,
          unchecked.get(kind) ?? uncheckedNotice(`${stage}/${id}`, kind, position),
        );
      continue;
    }
    const resource = { stage, id, object, value, pulumi };
    const found = violationProblems(resource, type, check, quoting, cue);
    wrong.push(...found.wrong);
    missing.push(...found.missing);
  }
  return strict
    ? { problems: [...wrong, ...missing], notices: [...unchecked.values()] }
    : { problems: [], notices: wrong };
}

function uncheckedNotice(resource: string, kind: string, position: Position | undefined): Problem {
  return {
    code: "unknown-kind",
    where: distinctPlaces(position),
    what: `Resource ${resource} isn't checked`,
    facts: [{ label: "kind", value: kind }],
    why: "qvs doesn't know the schema of this kind without a cluster",
    fix: "Name the directory of its CustomResourceDefinition with --crds",
    otherwise: ["run `qvs diff` to compare it with the cluster"],
  };
}

/** Returns the error for a kind that the chosen version of Kubernetes doesn't have. */
function missingKind(
  resource: string,
  kind: string,
  elsewhere: string,
  { version }: KindTypes,
  position: Position | undefined,
): Problem {
  return {
    code: "unknown-kind",
    where: distinctPlaces(position),
    what: `Resource ${resource}: Kubernetes ${version} doesn't have this kind`,
    facts: [
      { label: "kind", value: kind },
      { label: "exists", value: elsewhere },
    ],
    fix: `Use an API version that Kubernetes ${version} serves`,
  };
}

/** A manifest and the CUE value that it was made from. */
interface CheckedResource {
  readonly stage: Stage;
  readonly id: string;
  readonly object: JsonObject;
  readonly value: CueValue;
  /** True if the object is in `properties` of the value, and its strings follow Pulumi's rules. */
  readonly pulumi: boolean;
}

interface ViolationProblems {
  /** Fields that don't exist, and values of the wrong type. */
  readonly wrong: readonly Problem[];
  /** Missing required fields. Another field manager can have set them on an existing object. */
  readonly missing: readonly Problem[];
}

/**
 * Reports the fields of a manifest that violate the schema of its kind, with their places in the
 * adapter. No value is quoted.
 */
function violationProblems(
  resource: CheckedResource,
  { type, custom }: KnownType,
  check: SchemaCheck,
  quoting: Quoting,
  cue: Cue,
): ViolationProblems {
  const { stage, id, object, value, pulumi } = resource;
  const violations = schemaViolations(object, type, (each) => isPlaceholder(each, pulumi));
  // Terminals show the source line, which can contain a value of a Secret.
  const isSecret = violations.length > 0 && canContainSecrets(object);
  const kind = `${textAt(object, "kind")} (${textAt(object, "apiVersion")})`;
  const key = `${textAt(object, "apiVersion")}/${textAt(object, "kind")}`;
  const problem = (misfit: SchemaViolation): Problem => {
    const path = misfit.misfit === "missing" ? misfit.path.slice(0, -1) : misfit.path;
    const inValue = pulumi ? ["properties", ...path] : path;
    const elsewhere =
      misfit.misfit !== "unknown" || custom ? undefined : findField(key, path, check.known);
    const described = describeViolation(misfit, `Resource ${stage}/${id}`, kind, quoting);
    const existence =
      elsewhere === undefined ? [] : [{ label: "exists", value: elsewhere } as const];
    return {
      code: misfit.misfit === "unknown" ? "unknown-field" : "invalid-object",
      where: distinctPlaces(fieldPosition(value, isSecret ? [] : inValue, cue)),
      ...described,
      facts: [...(described.facts ?? []), ...existence],
      ...violationFixes(misfit, custom, check, elsewhere),
      about: resourceFields({ stage, resource: id }, [fieldPath(misfit.path)]),
    };
  };
  const missing = violations.filter(({ misfit }) => misfit === "missing");
  const wrong = violations.filter(({ misfit }) => misfit !== "missing");
  return {
    wrong: wrong.map(problem),
    missing: missing.map(problem),
  };
}

/** Reports whether a value is a string with a reference, or a Pulumi function. */
function isPlaceholder(value: Json, pulumi: boolean): boolean {
  if (typeof value === "string") {
    return referencePieces(value, pulumi).some(({ type }) => type === "reference");
  }
  return pulumi && pulumiFunction(value) !== undefined;
}

function describeViolation(
  violation: SchemaViolation,
  resource: string,
  kind: string,
  quoting: Quoting,
): Pick<Problem, "what" | "facts"> {
  const field = fieldPath(hideSecretSteps(violation.path, quoting));
  const schema = { label: "kind", value: kind };
  switch (violation.misfit) {
    case "unknown":
      return { what: `${resource}: field ${field} doesn't exist`, facts: [schema] };
    case "type":
      return {
        what: `${resource}: ${field} isn't ${typeTexts[violation.expected]}`,
        facts: [schema, { label: "found", value: typeTexts[violation.found] }],
      };
    case "missing":
      return { what: `${resource}: required field ${field} is missing`, facts: [schema] };
  }
}

function violationFixes(
  violation: SchemaViolation,
  custom: boolean,
  { known, isChosen }: SchemaCheck,
  elsewhere: string | undefined,
): Fixes {
  switch (violation.misfit) {
    case "unknown":
      if (elsewhere !== undefined)
        return { fix: isChosen ? "Remove it" : "Remove it, unless your cluster has the field" };
      if (violation.suggestion !== undefined)
        return { fix: `Did you mean "${violation.suggestion}"?` };
      return custom
        ? { fix: "Remove it", otherwise: ["declare it in the CustomResourceDefinition"] }
        : {
            fix: `Remove it, unless your cluster is newer than Kubernetes ${known.names.at(-1)}, which qvs knows`,
          };
    case "type":
      return {
        fix: `Make it ${typeTexts[violation.expected]} in the adapter`,
        otherwise: ["change the parameter that it is made from"],
      };
    case "missing":
      return { fix: "Set it in the adapter" };
  }
}

const typeTexts: Readonly<Record<ExpectedType | FoundType, string>> = {
  text: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  list: "a list",
  object: "an object",
};

/**
 * Returns the position of a field, or of the nearest surrounding value that has one. A value that
 * several adapters contribute to can have no position. The position of its kind is then used.
 */
function fieldPosition(value: CueValue, path: readonly string[], cue: Cue): Position | undefined {
  const kind = cue.lookup(value, ["kind"]) ?? cue.lookup(value, ["type"]);
  let found = cue.position(value) ?? (kind === undefined ? undefined : cue.position(kind));
  let current: CueValue | undefined = value;
  for (const step of path) {
    current = cue.lookup(current, [step]) ?? cue.elements(current)[Number(step)];
    if (current === undefined) return found;
    found = cue.position(current) ?? found;
  }
  return found;
}

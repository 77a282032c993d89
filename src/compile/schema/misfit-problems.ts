import type { Stage } from "../../model/compilation.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { type Json, type JsonObject, textAt } from "../../model/json.ts";
import { fieldsOf, type Position, type Problem } from "../../model/problems/problem.ts";
import { pulumiFunction } from "../../model/text/pulumi-function.ts";
import { referencePieces } from "../../model/text/reference-text.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import { mayHoldSecrets } from "../../redaction/secret-like.ts";
import { type Expected, type Found, type Misfit, misfitsIn } from "../../schema/misfits.ts";
import { places } from "../places.ts";
import { type Quoting, withoutSecrets } from "../problems/quoting.ts";
import type { KnownType } from "./kinds.ts";

/** A manifest and the CUE value that it was made from. */
export interface CheckedResource {
  readonly stage: Stage;
  readonly id: string;
  readonly object: JsonObject;
  readonly value: CueValue;
  /** True if the object is in `properties` of the value, and its strings follow Pulumi's rules. */
  readonly pulumi: boolean;
}

export interface MisfitProblems {
  /** Fields that don't exist, and values of the wrong type. */
  readonly wrong: readonly Problem[];
  /** Missing required fields. Another field manager can have set them on an existing object. */
  readonly missing: readonly Problem[];
}

/**
 * Reports the fields of a manifest that violate the schema of its kind, with their places in the
 * adapter. No value is quoted.
 */
export function misfitProblems(
  resource: CheckedResource,
  { type, custom }: KnownType,
  version: string,
  quoting: Quoting,
  cue: Cue,
): MisfitProblems {
  const { stage, id, object, value, pulumi } = resource;
  const misfits = misfitsIn(object, type, (each) => standsForAnother(each, pulumi));
  // Terminals show the source line, which can contain a value of a Secret.
  const isSecret = misfits.length > 0 && mayHoldSecrets(object);
  const kind = `${textAt(object, "kind")} (${textAt(object, "apiVersion")})`;
  const problem = (misfit: Misfit): Problem => {
    const path = misfit.misfit === "missing" ? misfit.path.slice(0, -1) : misfit.path;
    const inValue = pulumi ? ["properties", ...path] : path;
    return {
      code: misfit.misfit === "unknown" ? "unknown-field" : "invalid-object",
      where: places(placeOf(value, isSecret ? [] : inValue, cue)),
      what: `Resource ${stage}/${id} ${said(misfit, kind, quoting)}`,
      fix: fixOf(misfit, custom, version),
      about: fieldsOf({ stage, resource: id }, [fieldPath(misfit.path)]),
    };
  };
  const missing = misfits.filter(({ misfit }) => misfit === "missing");
  const wrong = misfits.filter(({ misfit }) => misfit !== "missing");
  return {
    wrong: wrong.map(problem),
    missing: missing.map(problem),
  };
}

/** Reports whether a value is a string with a reference, or a Pulumi function. */
function standsForAnother(value: Json, pulumi: boolean): boolean {
  if (typeof value === "string") {
    return referencePieces(value, pulumi).some(({ type }) => type === "reference");
  }
  return pulumi && pulumiFunction(value) !== undefined;
}

function said(misfit: Misfit, kind: string, quoting: Quoting): string {
  const field = fieldPath(withoutSecrets(misfit.path, quoting));
  switch (misfit.misfit) {
    case "unknown":
      return `has the field ${field}, which ${kind} does not have`;
    case "type":
      return `has ${words[misfit.found]} at ${field}, where ${kind} takes ${words[misfit.expected]}`;
    case "missing":
      return `has no ${field}, which ${kind} requires`;
  }
}

function fixOf(misfit: Misfit, custom: boolean, version: string): string {
  switch (misfit.misfit) {
    case "unknown":
      if (misfit.meant !== undefined) return `Did you mean "${misfit.meant}"?`;
      return custom
        ? "Remove it, or declare it in the CustomResourceDefinition"
        : `Remove it, unless your cluster is newer than Kubernetes ${version}, which qvs knows`;
    case "type":
      return `Make it ${words[misfit.expected]}: change the adapter, or the param that it is made from`;
    case "missing":
      return "Set it in the adapter";
  }
}

const words: Readonly<Record<Expected | Found, string>> = {
  text: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  object: "an object",
};

/**
 * Returns the position of a field, or of the nearest surrounding value that has one. A value that
 * several adapters contribute to can have no position. The position of its kind is then used.
 */
export function placeOf(value: CueValue, path: readonly string[], cue: Cue): Position | undefined {
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

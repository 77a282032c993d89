import {
  allowAnnotation,
  allowedCodes,
  dependsOnAnnotation,
  ignoreChangesAnnotation,
  keepOnDeleteAnnotation,
  migrationAnnotation,
  replaceAnnotation,
  revisionAnnotation,
  runOnceAnnotation,
  timeoutAnnotation,
  tolerateAnnotation,
  urlAnnotation,
  waitAnnotation,
} from "../model/annotations.ts";
import { at, isObject, type JsonObject, textAt } from "../model/json.ts";
import { invalidWaitValues } from "../model/plan/wait-policy.ts";
import { findingCodes } from "../model/problems/finding-codes.ts";
import { currentCode } from "../model/problems/previous-codes.ts";
import type { Fixes, Problem } from "../model/problems/problem.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { Cue, CueValue } from "../ports/cue.ts";
import { distinctPlaces } from "./positions.ts";

const prefix = "vs.axis-dev.io/";

const knownAnnotations = [
  allowAnnotation,
  dependsOnAnnotation,
  ignoreChangesAnnotation,
  keepOnDeleteAnnotation,
  migrationAnnotation,
  replaceAnnotation,
  revisionAnnotation,
  runOnceAnnotation,
  timeoutAnnotation,
  tolerateAnnotation,
  urlAnnotation,
  waitAnnotation,
];

/** Annotations that other programs read when they deploy the same adapters. */
const foreignAnnotations = [`${prefix}api-endpoint`];

export interface UnknownAnnotations {
  readonly problems: readonly Problem[];
  readonly notices: readonly Problem[];
}

/**
 * Reports annotations with qvs's prefix that qvs doesn't know
 * (docs/reference/annotations.md#annotations), and annotations of qvs that are written as labels.
 * Their protection or order would have no effect.
 * An unknown name that doesn't resemble a known one can belong to another program, so it causes
 * only a notice.
 */
export function unknownAnnotations(
  { resource, object }: { readonly resource: string; readonly object: JsonObject },
  value: CueValue,
  cue: Cue,
): UnknownAnnotations {
  const problem = (field: string, name: string, fact: string, fixes: Fixes): Problem => {
    const place = cue.lookup(value, ["metadata", field, name]);
    const position = place === undefined ? undefined : cue.position(place);
    return {
      code: "invalid-annotation",
      where: distinctPlaces(position, cue.position(value)),
      what: `Resource ${resource} ${fact}`,
      ...fixes,
    };
  };
  const unknown = qvsNames(object, "annotations").filter(
    (name) => !knownAnnotations.includes(name),
  );
  const labels = qvsNames(object, "labels").filter((name) => knownAnnotations.includes(name));
  const misspelled = unknown.filter((name) => suggestAnnotation(name) !== undefined);
  const others = unknown.filter((name) => suggestAnnotation(name) === undefined);
  return {
    problems: [
      ...misspelled.map((name) =>
        problem("annotations", name, `has the unknown annotation "${name}"`, {
          fix: `Did you mean "${suggestAnnotation(name)}"?`,
        }),
      ),
      ...labels.map((name) =>
        problem("labels", name, `has the annotation "${name}" as a label`, {
          fix: "Move it to metadata.annotations",
        }),
      ),
      ...unknownCodes(object).map((code) =>
        problem(
          "annotations",
          allowAnnotation,
          `allows the unknown finding "${code}"`,
          suggest(closest(code, codes), "Write the code of a finding"),
        ),
      ),
      ...invalidReplaceValues(object).map((value) =>
        problem(
          "annotations",
          replaceAnnotation,
          `has the annotation "${replaceAnnotation}" with the value "${value}"`,
          {
            fix: 'Write "true"',
            otherwise: [
              'write "orphan" for a StatefulSet that keeps its Pods',
              "remove the annotation",
            ],
          },
        ),
      ),
      ...invalidRunOnceValues(object).map((value) =>
        problem(
          "annotations",
          runOnceAnnotation,
          `has the annotation "${runOnceAnnotation}" with the value "${value}"`,
          { fix: 'Write "true"', otherwise: ["remove the annotation"] },
        ),
      ),
      ...invalidWaitValues(object).map(({ name, value, fixes }) =>
        problem(
          "annotations",
          name,
          `has the annotation "${name}" with the value "${value}"`,
          fixes,
        ),
      ),
    ],
    notices: others.map((name) => ({
      ...problem("annotations", name, `has the unknown annotation "${name}"`, {
        fix: "Remove it, unless another program reads it",
      }),
      facts: [{ label: "known", value: knownAnnotations.join(", ") }],
    })),
  };
}

const codes = Object.keys(findingCodes);

/** Returns the unknown finding codes. A misspelled code would allow nothing. */
function unknownCodes(object: JsonObject): readonly string[] {
  const text = textAt(object, "metadata", "annotations", allowAnnotation) ?? "";
  return allowedCodes(text).filter((code) => !codes.includes(currentCode(code)));
}

/**
 * Returns a value other than "true", "false" and "orphan". A user who writes `yes` expects that qvs
 * recreates the object when necessary. The normalization of manifests accepts any value, so that a
 * user can still roll back to a release that was recorded with another one.
 */
function invalidReplaceValues(object: JsonObject): readonly string[] {
  const value = textAt(object, "metadata", "annotations", replaceAnnotation);
  return value === undefined || ["true", "false", "orphan"].includes(value) ? [] : [value];
}

function invalidRunOnceValues(object: JsonObject): readonly string[] {
  const value = textAt(object, "metadata", "annotations", runOnceAnnotation);
  return value === undefined || ["true", "false"].includes(value) ? [] : [value];
}

function suggestAnnotation(name: string): string | undefined {
  const words = knownAnnotations.map((each) => each.slice(prefix.length));
  const meant = closest(name.slice(prefix.length), words);
  return meant === undefined ? undefined : prefix + meant;
}

function qvsNames(object: JsonObject, field: string): readonly string[] {
  const names = at(object, "metadata", field);
  if (!isObject(names)) return [];
  return Object.keys(names).filter(
    (name) => name.startsWith(prefix) && !foreignAnnotations.includes(name),
  );
}

import { ignoreChangesAnnotation } from "../../../model/annotations.ts";
import { spokenOfAs } from "../../../model/apply-time-reference.ts";
import type { ApiFailure } from "../../../model/cluster/api-failure.ts";
import { conflictOwner } from "../../../model/cluster/api-words/state.ts";
import { parseIgnoredPaths } from "../../../model/fields/ignore-paths.ts";
import { annotation, type KubeObject, nameOf } from "../../../model/object.ts";
import type { FieldConflict } from "../../../model/plan.ts";
import { declaredAt, fieldsOf, type Problem } from "../../../model/problems/problem.ts";
import { ownersOf } from "../../../ssa/managed-fields.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { conflictingField } from "../../ownership/conflicting-field.ts";
import { describeOwner } from "../../ownership/describe-owner.ts";
import { findField } from "../../ownership/field-path.ts";
import { hasItSo, type PlannedRecord } from "./record-cures.ts";

type Cause = ApiFailure["causes"][number];

/** Returns the API server's answer for these conflicts. */
export function conflictFailure(conflicts: readonly FieldConflict[]): ApiFailure {
  const causes = conflicts.map(({ field, manager, subresource }) => ({
    reason: "FieldManagerConflict",
    field,
    message: `conflict with "${manager}"${subresource === "" ? "" : ` with subresource "${subresource}"`}`,
  }));
  return { reason: "conflict", status: 409, message: "other field managers own fields", causes };
}

/**
 * Returns the value of the annotation that settles every conflict of the object and keeps its
 * present paths.
 */
export function ignoringAll({ object }: DesiredObject, conflicts: readonly Cause[]): string {
  const now = parseIgnoredPaths(annotation(object, ignoreChangesAnnotation) ?? "");
  const paths = conflicts.map(({ field }) => findField(object, field).path).toSorted();
  return [...new Set([...now.map(({ text }) => text), ...paths])].join(", ");
}

export function conflictProblem(
  desired: DesiredObject,
  live: KubeObject | "not ours" | undefined,
  cause: Cause,
  { line, record }: { readonly line: string; readonly record: PlannedRecord | undefined },
): Problem {
  const { path, values, change } = conflictingField(
    spokenOfAs(desired.object, desired),
    live,
    cause,
  );
  const owner = ownerIn(cause, live === "not ours" ? undefined : live);
  const taking = { path, change, ...owner };
  return {
    code: "field-conflict",
    subjects: [nameOf(desired.id)],
    what: `${nameOf(desired.id)}: ${path} belongs to ${owner.text}${values}`,
    ...(record === undefined ? curesOfManifest(line, taking) : curesOfRecord(record, line, taking)),
    where: declaredAt(desired),
    about: fieldsOf(desired, [path]),
  };
}

type Cures = Pick<Problem, "fix" | "otherwise" | "inputs" | "paste">;

interface Taking {
  readonly path: string;
  readonly change: string;
  readonly manager: string;
  /** True if the other manager applies all its fields. It can then leave out this one. */
  readonly applies: boolean;
}

function curesOfManifest(line: string, taking: Taking): Cures {
  return {
    fix: `Keep what is live: add the annotation ${ignoreChangesAnnotation}: '${line}'`,
    otherwise: ["take the field out of the manifest", `take it with ${taken(taking)}`],
    inputs: [`takeover: ${taking.manager}`],
    paste: ["metadata:", "  annotations:", `    ${ignoreChangesAnnotation}: '${line}'`],
  };
}

/**
 * Returns the fixes for a recorded manifest, which never changes.
 * Only the flags of the run and the other manager can change.
 */
function curesOfRecord(record: PlannedRecord, line: string, taking: Taking): Cures {
  const { corrects } = record;
  const { applies, manager, path } = taking;
  const again = corrects ? "correct it" : "roll back";
  return {
    fix: hasItSo(
      record,
      `take it with ${taken(taking, corrects ? "--conflicts=force" : undefined)} unless that is stopped first`,
    ),
    ...(corrects ? {} : { inputs: [`takeover: ${manager}`] }),
    otherwise: [
      ...(applies ? [`have ${manager} apply without ${path} first, and ${again} then`] : []),
      `keep what is live: deploy a commit whose manifest ignores it, with the annotation ${ignoreChangesAnnotation}: '${line}', instead`,
    ],
  };
}

function taken({ manager, path, change }: Taking, flag = `--takeover=${manager}`): string {
  const sets = change === "" ? "the declared value" : `${path}${change}`;
  return `${flag}: that sets ${sets} now, and ${manager} may set it again`;
}

/** Returns the manager of the field, with the facts that the live object has about it. */
function ownerIn(
  cause: Cause,
  live: KubeObject | undefined,
): { readonly manager: string; readonly text: string; readonly applies: boolean } {
  const { manager = "another field manager", subresource } = conflictOwner(cause);
  const entry = (live === undefined ? [] : ownersOf(live)).find(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  const applies = entry?.operation === "Apply" && subresource === "";
  return { manager, applies, text: describeOwner({ ...entry, manager, subresource }) };
}

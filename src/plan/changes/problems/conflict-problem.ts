import { ignoreChangesAnnotation, ownLabels } from "../../../model/annotations.ts";
import type { ApiFailure } from "../../../model/cluster/api/api-failure.ts";
import { conflictOwner } from "../../../model/cluster/api/messages/api-message.ts";
import { parseIgnoredPaths } from "../../../model/fields/field-path.ts";
import { annotation, type KubeObject, nameOf } from "../../../model/object.ts";
import { withSecretKind } from "../../../model/plan/apply-time-reference.ts";
import type { FieldConflict } from "../../../model/plan/plan.ts";
import {
  declarationPlaces,
  type Fact,
  type Problem,
  resourceFields,
} from "../../../model/problems/problem.ts";
import { fieldOwners } from "../../../ssa/managed-fields.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { conflictingField, describeOwner, findField } from "../../ownership/find-field.ts";
import { type PlannedRecord, recordedReason } from "./record-fixes.ts";

type ConflictCause = ApiFailure["causes"][number];

/** Returns the API server's answer for these conflicts. */
export function conflictFailure(conflicts: readonly FieldConflict[]): ApiFailure {
  const causes = conflicts.map(({ field, manager, subresource }) => ({
    reason: "FieldManagerConflict",
    field,
    message: `conflict with "${manager}"${subresource === "" ? "" : ` with subresource "${subresource}"`}`,
  }));
  return { reason: "conflict", status: 409, message: "other field managers own fields", causes };
}

/** The paths of qvs's own labels. A manifest can't leave them out. */
const ownLabelPaths: ReadonlySet<string> = new Set(
  [...ownLabels].map((label) => `metadata.labels["${label}"]`),
);

/** The annotation that keeps the live values of all fields in conflict. */
export interface IgnoringAnnotation {
  /** Its value, with the paths that it already has. */
  readonly value: string;
  /** The paths to add; undefined if the object has no such annotation. */
  readonly added: string | undefined;
}

/**
 * Returns the annotation that settles every conflict of the object, except those of qvs's own
 * labels, and keeps its present paths.
 */
export function ignoreAnnotationValue(
  { object }: DesiredObject,
  conflicts: readonly ConflictCause[],
): IgnoringAnnotation {
  const current = parseIgnoredPaths(annotation(object, ignoreChangesAnnotation) ?? "").map(
    ({ text }) => text,
  );
  const paths = conflicts
    .map(({ field }) => findField(object, field).path)
    .filter((path) => !ownLabelPaths.has(path))
    .toSorted();
  const added = [...new Set(paths)].filter((path) => !current.includes(path));
  return {
    value: [...new Set([...current, ...paths])].join(", "),
    added: current.length === 0 || added.length === 0 ? undefined : added.join(", "),
  };
}

export function conflictProblem(
  desired: DesiredObject,
  live: KubeObject | "not ours" | undefined,
  cause: ConflictCause,
  {
    ignoring,
    record,
  }: { readonly ignoring: IgnoringAnnotation; readonly record: PlannedRecord | undefined },
): Problem {
  const { path, values } = conflictingField(withSecretKind(desired.object, desired), live, cause);
  const owner = conflictingOwner(cause, live === "not ours" ? undefined : live);
  const takeover = { path, ...owner };
  return {
    code: "field-conflict",
    subjects: [nameOf(desired.id)],
    what: `${nameOf(desired.id)}: ${path} is owned by another field manager`,
    facts: [...containerOf(cause), { label: "owner", value: owner.text }, ...values],
    ...(record === undefined
      ? manifestFixes(ignoring, takeover)
      : recordFixes(record, ignoring.value, takeover)),
    where: declarationPlaces(desired),
    about: resourceFields(desired, [path]),
  };
}

/** Names the container of a field, because its path has only an index. */
function containerOf({ field }: ConflictCause): readonly Fact[] {
  const [, container] = /\.(?:init|ephemeral)?[cC]ontainers\[name="([^"\\]+)"\]/.exec(field) ?? [];
  return container === undefined ? [] : [{ label: "container", value: container }];
}

type ConflictFixes = Pick<Problem, "why" | "fix" | "otherwise" | "inputs" | "paste">;

interface Takeover {
  readonly path: string;
  readonly manager: string;
  readonly subresource: string;
  /** True if the other manager applies all its fields. It can then leave out this one. */
  readonly applies: boolean;
}

function manifestFixes({ value, added }: IgnoringAnnotation, takeover: Takeover): ConflictFixes {
  if (ownLabelPaths.has(takeover.path))
    return {
      why: "qvs sets this label in all objects of a deployment",
      fix: `Overwrite it with ${takeoverText(takeover)}`,
      inputs: [inputFor(takeover)],
    };
  const line = `${ignoreChangesAnnotation}: '${value}'`;
  return {
    fix: `Keep the live value: ${added === undefined ? `add the annotation ${line}` : `add ${added} to the existing annotation ${ignoreChangesAnnotation}`}`,
    otherwise: [
      `remove ${takeover.path} from the manifest`,
      `overwrite it with ${takeoverText(takeover)}`,
    ],
    inputs: [inputFor(takeover)],
    paste: ["metadata:", "  annotations:", `    ${line}`],
  };
}

/**
 * Returns the fixes for a recorded manifest, which never changes.
 * Only the flags of the run and the other manager can change.
 */
function recordFixes(record: PlannedRecord, line: string, takeover: Takeover): ConflictFixes {
  const { corrects } = record;
  const { applies, manager, path } = takeover;
  const retryAction = corrects ? "correct it" : "roll back";
  return {
    why: recordedReason(record),
    fix: `Overwrite it with ${corrects ? forced(takeover) : takeoverText(takeover)}`,
    ...(corrects ? {} : { inputs: [inputFor(takeover)] }),
    otherwise: [
      ...(applies ? [`first let ${manager} apply without ${path}, then ${retryAction}`] : []),
      `keep the live value: deploy a commit whose manifest has the annotation ${ignoreChangesAnnotation}: '${line}'`,
    ],
  };
}

/**
 * Returns the flag with its whole effect.
 * A writer of a subresource is usually a live controller, and qvs never takes an entry of a
 * subresource. For such a conflict, --takeover would take only fields that aren't in conflict.
 */
function takeoverText(taking: Takeover): string {
  const { manager, subresource } = taking;
  return subresource === ""
    ? `--takeover=${manager}, which takes all fields of ${manager} in the declared objects and removes undeclared ones`
    : forced(taking);
}

function forced({ manager }: Takeover): string {
  return `--conflicts=force, which takes the fields of all conflicts; ${manager} can set them again`;
}

function inputFor({ manager, subresource }: Takeover): string {
  return subresource === "" ? `takeover: ${manager}` : "conflicts: force";
}

/** Returns the manager of the field, with the facts that the live object has about it. */
function conflictingOwner(
  cause: ConflictCause,
  live: KubeObject | undefined,
): Pick<Takeover, "manager" | "subresource" | "applies"> & { readonly text: string } {
  const { manager = "another field manager", subresource } = conflictOwner(cause);
  const entry = (live === undefined ? [] : fieldOwners(live)).find(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  const applies = entry?.operation === "Apply" && subresource === "";
  return { manager, subresource, applies, text: describeOwner({ ...entry, manager, subresource }) };
}

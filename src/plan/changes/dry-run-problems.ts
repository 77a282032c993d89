import { ignoreChangesAnnotation, replaceAnnotation } from "../../model/annotations.ts";
import { parseIgnoredPaths } from "../../model/ignore-paths.ts";
import { type SecretHolder, spokenOfAs } from "../../model/late-text.ts";
import { ownersOf } from "../../model/managed-fields.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import { declaredAt, type Problem } from "../../model/problem.ts";
import { showableRefusal } from "../../model/showable-refusal.ts";
import type { DesiredObject } from "../declared/desired.ts";
import { contestedField } from "../ownership/contested-field.ts";
import { findField } from "../ownership/field-path.ts";
import type { DryRunFailure } from "../prediction.ts";
import type { ObjectProblem } from "./gather-alike.ts";
import { asksToBeReplaced, isImmutable, isReplaceable } from "./replacement.ts";

/** What a refused dry-run means for the user: one problem per conflicting or wrong field. */
export function problemsOfDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  failure: DryRunFailure,
): readonly ObjectProblem[] {
  const { message, causes } = showable(failure, desired);
  const conflicts = causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (conflicts.length > 0) {
    const line = ignoringAll(desired, conflicts);
    return conflicts
      .toSorted((a, b) => (a.field < b.field ? -1 : 1))
      .map((cause) => conflictProblem(desired, live, cause, line));
  }
  if (failure.reason === "invalid" && causes.length > 0) {
    return causes.map((cause) => invalidProblem(desired, live, cause));
  }
  const subject = nameOf(desired.id);
  const what = `${subject}: ${message}`;
  return [{ subject, what, fix: cureOf(desired, live, failure), where: declaredAt(desired) }];
}

/** A refusal as it may be shown. An object that holds values of Secrets is treated like one. */
export function showable(
  failure: DryRunFailure,
  desired: Pick<DesiredObject, "object"> & SecretHolder,
): DryRunFailure {
  return showableRefusal(failure, spokenOfAs(desired.object, desired));
}

type Cause = DryRunFailure["causes"][number];

/** The annotation that settles every conflict of the object and still says what it says now. */
function ignoringAll({ object }: DesiredObject, conflicts: readonly Cause[]): string {
  const now = parseIgnoredPaths(annotation(object, ignoreChangesAnnotation) ?? "");
  const paths = conflicts.map(({ field }) => findField(object, field).path).toSorted();
  return [...new Set([...now.map(({ text }) => text), ...paths])].join(", ");
}

function conflictProblem(
  desired: DesiredObject,
  live: KubeObject | undefined,
  cause: Cause,
  ignoring: string,
): Problem {
  const { path, values } = contestedField(spokenOfAs(desired.object, desired), live, cause);
  const owner = describeOwner(cause.message, live);
  return {
    what: `${nameOf(desired.id)}: ${path} belongs to ${owner.text}${values}`,
    fix: `Keep what is live with the annotation ${ignoreChangesAnnotation}: '${ignoring}', or take the field out of the manifest, or take it from ${owner.manager} with --takeover=${owner.manager}`,
    where: declaredAt(desired),
  };
}

/** From `conflict with "helm" with subresource "scale" using apps/v1`, and what the live object knows of that manager. */
function describeOwner(
  message: string,
  live: KubeObject | undefined,
): { readonly manager: string; readonly text: string } {
  const manager = /conflict with "([^"]*)"/.exec(message)?.[1] ?? "another field manager";
  const subresource = / with subresource "([^"]*)"/.exec(message)?.[1] ?? "";
  const entry = (live === undefined ? [] : ownersOf(live)).find(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  const facts = [
    entry?.operation,
    subresource === "" ? undefined : `subresource ${subresource}`,
    entry === undefined || entry.time === "" ? undefined : `since ${entry.time}`,
  ].filter((fact) => fact !== undefined);
  const details = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return { manager, text: `"${manager}"${details}` };
}

function invalidProblem(
  desired: DesiredObject,
  live: KubeObject | undefined,
  cause: Cause,
): Problem {
  const { id, object } = desired;
  const field = cause.field === "" || cause.field === "<nil>" ? "" : `${cause.field}: `;
  return {
    what: `${nameOf(id)}: ${field}${cause.message}`,
    fix: isImmutable(cause) ? immutableCure(object, live) : cureOfValue(cause),
    where: declaredAt(desired),
  };
}

/** A policy's verdict comes as an invalid object without a field. */
function cureOfValue({ message }: Cause): string {
  return /^ValidatingAdmissionPolicy '/.test(message)
    ? "Satisfy the policy of the cluster, or ask those who run it; what it checks: kubectl get validatingadmissionpolicies"
    : "Correct the value in the adapter, or in the parameter that it is made from";
}

function immutableCure(object: KubeObject, live: KubeObject | undefined): string {
  const manual =
    "Give the object another name, or delete it yourself first if it may be gone for a moment";
  if (live === undefined || !isReplaceable(object, live)) return manual;
  return asksToBeReplaced(object)
    ? "Correct the manifest: made anew it would be refused as well"
    : `Give the object another name, or the annotation ${replaceAnnotation}: "true" if it may be gone for a moment`;
}

function cureOf(
  { id, object }: DesiredObject,
  live: KubeObject | undefined,
  failure: DryRunFailure,
): string {
  switch (failure.reason) {
    case "forbidden":
      if (/exceeded quota/.test(failure.message)) {
        return "Raise the quota of the namespace, or delete what nobody needs any more";
      }
      return `Allow ${live === undefined ? "create and patch" : "patch"} on ${id.kind} of ${object.apiVersion}${id.namespace === "" ? "" : ` in namespace ${id.namespace}`} to this identity, or correct what admission refuses`;
    case "unauthorized":
      return "Log in to the cluster again: it does not accept the credential";
    case "unreachable":
      return "Check that the cluster can be reached from here, and run again";
    case "unknown-kind":
      return "Install the CustomResourceDefinition, or correct apiVersion and kind";
    case "not-found": {
      const [, namespace] = /^namespaces "([^"]+)" not found$/.exec(failure.message) ?? [];
      return namespace === undefined
        ? "Declare what is missing in appSetup, or create it first"
        : `Create the namespace ${namespace}, or declare it in appSetup`;
    }
    case "invalid":
      return "Correct the manifest in the adapter, or the parameters that it is made from";
    default:
      return "Run again; if it stays, the message above is all that the server says";
  }
}

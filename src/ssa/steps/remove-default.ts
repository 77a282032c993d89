import { at, isObject, type Json, type JsonObject, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type RemoveDefaultStep } from "../../model/plan/plan.ts";
import { jsonPointer, resourceVersionGuard, setAtPath } from "../json-patch.ts";
import { fieldOwners, isDefault, type OwnedFields, ownsField } from "../managed-fields.ts";
import type { DryRunResult, StepCandidate, StepKind, StepTrial } from "./step.ts";

/**
 * Removes a default of the API server that forbids a declared field next to it
 * (docs/reference/ownership.md#conflicting-defaults).
 * The default is undeclared and has no owner.
 * Applying null can't remove it, because the API server ignores the null (tested:
 * `strategy: {type: Recreate, rollingUpdate: null}`). qvs patches the declared field together with
 * it. If qvs removed the default alone, the API server would set it again.
 */
export const removeDefault: StepKind<RemoveDefaultStep> = {
  detect,
  assume: () => undefined,
  execution: (step) => ({
    by: "patch",
    patch: (live) =>
      sameJson(at(live, ...step.path), step.value) ? "done" : removalPatch(live, step),
  }),
  describe: () => [],
  digest: ({ removes }) => ({ removesDefault: removes }),
};

/**
 * Tests the removal with two dry runs, because a dry run can't build on another one.
 * The patch shows its own part, and the apply shows the rest.
 */
function detect(candidate: StepCandidate, { alone }: DryRunResult): StepTrial | undefined {
  if (alone.ok) return undefined;
  const [cause, ...others] = alone.failure.causes;
  if (cause === undefined || others.length > 0 || !rejectionReasons.has(cause.reason))
    return undefined;
  const step = findConflictingDefault(cause.field, candidate);
  if (step === undefined) return undefined;
  return {
    requests: [
      { verb: "patch", patch: removalPatch(candidate.live, step) },
      { verb: "apply", object: setPart(candidate.object, step, undefined), force: false },
    ],
    conclude: (answers) => {
      const steps = [step, { type: "apply" } as const];
      const [patched, applied] = answers;
      if (patched?.ok !== true || applied?.ok !== true) {
        return { alone, answer: answers.at(-1) ?? alone, steps };
      }
      const value = setPart(applied.value, step, at(patched.value, ...step.path));
      return { alone, answer: { ok: true, value }, steps };
    },
  };
}

/**
 * A Deployment's `rollingUpdate` is forbidden next to Recreate. A StatefulSet's is invalid next to
 * OnDelete.
 */
const rejectionReasons: ReadonlySet<string> = new Set(["FieldValueForbidden", "FieldValueInvalid"]);

function findConflictingDefault(
  refused: string,
  { object, live, deployment, stage }: StepCandidate,
): RemoveDefaultStep | undefined {
  // In lists, the API server names items by index or key. No such default is known.
  if (!/^\w+(\.\w+)+$/.test(refused)) return undefined;
  const field = refused.split(".");
  const path = field.slice(0, -1);
  // A field directly under the spec has too many siblings to replace them all.
  if (path.length < 2) return undefined;
  const value = at(object, ...path);
  if (!isObject(value) || !isDefault(live, object, field)) return undefined;
  const manager = fieldManager(deployment, stage);
  const isFree = fieldOwners(live).every(
    (owner) => isOwnEntry(owner, manager) || !ownsField(owner.fields, path),
  );
  if (!isFree) return undefined;
  return { type: "remove-default", path, value, removes: refused };
}

function isOwnEntry(owner: OwnedFields, manager: string): boolean {
  return owner.manager === manager && owner.subresource === "";
}

/** Returns the patch for exactly this version of the object. */
function removalPatch(live: KubeObject, { path, value }: RemoveDefaultStep): readonly JsonObject[] {
  return [resourceVersionGuard(live), { op: "replace", path: jsonPointer(path), value }];
}

/**
 * Returns `object` with another value of the part.
 * Without the part, a dry run of the rest works as usual.
 */
function setPart(
  object: KubeObject,
  { path }: RemoveDefaultStep,
  part: Json | undefined,
): KubeObject {
  return setAtPath(object, path, part) as KubeObject;
}

import { replaceAnnotation, runOnceAnnotation } from "../../model/annotations.ts";
import {
  keepsDataByName,
  recreationCheck,
  recreationEffect,
} from "../../model/cluster/change-effects.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, recreationFields, replacesPods } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxFields = 5;

/**
 * Reports objects that are replaced because a field is immutable.
 * Without the annotation for replacement, an error blocks the deployment and names the field. Then
 * a finding would repeat it.
 */
export function recreated({ plan, placeOf, releases }: PreflightInput): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const { key, id, desired } = change;
    if (isJob(id)) return runsAgain(change, releases.declared.has(key), placeOf);
    const fields = immutableFields(change);
    if (fields === undefined || !replacesPods(change)) return [];
    return [
      changeFinding(change, placeOf, {
        code: "immutable",
        severity: "warning",
        what: `${nameOf(id)} is deleted and created again`,
        why: `${fields} can't be changed on a live object, and ${replaceAnnotation}: "true" allows the replacement. Effect: ${recreationEffect(id.kind)}`,
        fix: recreationFix(desired),
        path: immutablePath(change),
      }),
    ];
  });
}

function recreationFix(object: KubeObject): string {
  const check = recreationCheck(object.kind);
  return keepsDataByName(object)
    ? `${check}, and keep its name: under another name, it starts with new, empty claims`
    : `${check}, or give it another name, so that the old one is deleted only after the new one is ready`;
}

/**
 * Reports Jobs that run again.
 * A Job that was deleted after it finished is created like a new one.
 */
function runsAgain(
  change: Change,
  wasDeclared: boolean,
  placeOf: PreflightInput["placeOf"],
): readonly Finding[] {
  const name = nameOf(change.id);
  const fields = immutableFields(change);
  const isMissing = change.action === "create" && wasDeclared;
  if (fields === undefined && !isMissing) return [];
  return [
    changeFinding(change, placeOf, {
      code: "job-runs-again",
      severity: "warning",
      what: `${name} ${fields === undefined ? "is" : "is deleted and"} created again and runs again`,
      why: fields === undefined ? missingJob : `${fields} can't be changed on a live object`,
      fix: isMissing ? runOnce : runTwice,
      path: immutablePath(change),
    }),
  ];
}

const missingJob =
  "The last release created it, and it is no longer in the cluster. A Job that is deleted after it finishes, for example by ttlSecondsAfterFinished, runs with every deployment";
const runTwice =
  "Make sure that it can run more than once, or give it a name that changes only when it must run";
const runOnce = `Make sure that it can run more than once, or add the annotation ${runOnceAnnotation}: "true", so that it runs only when its content changes`;

/**
 * Returns the path of the first immutable field, such as `spec.template` or `spec.ports[0].name`.
 * It doesn't recognize a name with dots in brackets.
 */
export function immutablePath({ steps }: Change): readonly string[] | undefined {
  return recreationFields(steps)?.[0]
    ?.split(/[.[\]]+/)
    .filter((name) => name !== "");
}

export function immutableFields({ steps }: Change): string | undefined {
  const fields = recreationFields(steps);
  if (fields === undefined) return undefined;
  return fields.length === 0 ? "One of its fields" : summarizeList(fields, maxFields);
}

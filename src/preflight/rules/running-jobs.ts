import { replaceAnnotation } from "../../model/annotations.ts";
import {
  describeRunning,
  isWorkingJob,
  jobsReplacedBy,
  mayBeInterrupted,
} from "../../model/cluster/running-jobs.ts";
import { addressOf, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import type { PreflightInput } from "../rule.ts";

/** Reports running Jobs that are deleted, replaced or followed by another Job. */
export function runningJobs({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const { changes, deletions } = plan;
  const recreated = changes.flatMap(({ key, action, live }): readonly Finding[] =>
    action !== "replace" || live === undefined || !isWorkingJob(live)
      ? []
      : [
          {
            ...about(live),
            what: `${nameOf(idOf(live))} runs now, and is deleted and created again`,
            why: `${describeRunning(live)}; it is interrupted, since it is annotated ${replaceAnnotation}: "true"`,
            fix: "Deploy when it has ended, if it may not be interrupted",
            where: declaredAt({ where: placeOf(key) }),
          },
        ],
  );
  const deleted = deletions
    .filter(({ live }) => isWorkingJob(live))
    .map(({ key, live }): Finding => {
      const [next] = changes.filter((change) =>
        jobsReplacedBy(change, deletions).some((each) => each.key === key),
      );
      const name = nameOf(idOf(live));
      return {
        ...about(live),
        what:
          next === undefined
            ? `${name} runs now, and is no longer declared`
            : `${name} runs now, and ${nameOf(next.id)} takes its place`,
        why: `${describeRunning(live)}; ${whatHappens(live, next !== undefined)}`,
        ...(mayBeInterrupted(live) ? ifItMustEnd : whenItHasEnded),
        where: next === undefined ? [] : declaredAt({ where: placeOf(next.key) }),
      };
    });
  return [...recreated, ...deleted];
}

const ifItMustEnd = { fix: "Deploy when it has ended, if it may not be interrupted" };

const whenItHasEnded = {
  fix: "Deploy when it has ended, or allow more time with --timeout",
  inputs: ["timeout: 20m"],
};

function about(live: KubeObject): Pick<Finding, "code" | "severity" | "object"> {
  return { code: "job-running", severity: "warning", object: addressOf(live) };
}

function whatHappens(live: KubeObject, isFollowed: boolean): string {
  if (mayBeInterrupted(live))
    return `it is interrupted, since it is annotated ${replaceAnnotation}: "true"`;
  return isFollowed
    ? "the deployment waits for it, and fails if it still runs at the time limit"
    : "the deployment waits for it, and keeps it if it still runs at the time limit";
}

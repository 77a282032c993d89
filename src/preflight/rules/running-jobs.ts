import { replaceAnnotation } from "../../model/annotations.ts";
import {
  activeJobNames,
  describeRunningJob,
  isRunningJob,
  mayBeInterrupted,
  replacedJobs,
} from "../../model/cluster/jobs.ts";
import { addressOf, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

/**
 * Reports running Jobs that are deleted, alone or with their CronJob, replaced, or followed by
 * another Job.
 */
export function runningJobs({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const { changes, deletions } = plan;
  const recreated = changes.flatMap(({ key, action, live }): readonly Finding[] =>
    action !== "replace" || live === undefined || !isRunningJob(live)
      ? []
      : [
          {
            ...jobFinding(live),
            what: `${nameOf(idOf(live))} is running, and is deleted and created again`,
            why: `${interrupted}. Progress: ${describeRunningJob(live)}`,
            fix: waitForEnd,
            where: declarationPlaces({ where: placeOf(key) }),
          },
        ],
  );
  const deleted = deletions
    .filter(({ live }) => isRunningJob(live))
    .map(({ key, live }): Finding => {
      const [next] = changes.filter((change) =>
        replacedJobs(change, deletions).some((each) => each.key === key),
      );
      const name = nameOf(idOf(live));
      return {
        ...jobFinding(live),
        what:
          next === undefined
            ? `${name} is running, and is no longer declared`
            : `${name} is running, and ${nameOf(next.id)} replaces it`,
        why: `${interruptionEffect(live, next !== undefined)}. Progress: ${describeRunningJob(live)}`,
        ...(mayBeInterrupted(live) ? { fix: waitForEnd } : whenItHasEnded),
        where: next === undefined ? [] : declarationPlaces({ where: placeOf(next.key) }),
      };
    });
  return [...recreated, ...deleted, ...deletions.flatMap(jobsOfDeletedCronJob)];
}

/** Reports the running Jobs that are deleted with their CronJob. qvs doesn't wait for their end. */
function jobsOfDeletedCronJob({ id, live }: Deletion): readonly Finding[] {
  const names = activeJobNames(live);
  if (names.length === 0) return [];
  const jobs = summarizeList(
    names.map((name) => nameOf({ ...id, kind: "Job", name })),
    maxNames,
  );
  return [
    findingWithoutPlace(live, {
      ...{ code: "job-running", severity: "warning" },
      what: `${nameOf(id)} is deleted, which interrupts ${jobs}`,
      why: "It started this work, which hasn't ended. The deployment doesn't wait for it",
      fix: waitForEnd,
    }),
  ];
}

const maxNames = 3;

const waitForEnd = "Deploy after it ends if it must not be interrupted";
const interrupted = `qvs interrupts it, because it has the annotation ${replaceAnnotation}: "true"`;

const whenItHasEnded = {
  fix: "Deploy after it ends, or allow more time with --timeout",
  inputs: ["timeout: 20m"],
};

function jobFinding(live: KubeObject): Pick<Finding, "code" | "severity" | "object"> {
  return { code: "job-running", severity: "warning", object: addressOf(live) };
}

function interruptionEffect(live: KubeObject, isFollowed: boolean): string {
  if (mayBeInterrupted(live)) return interrupted;
  return isFollowed
    ? "The deployment waits for it, and fails if it still runs at the timeout"
    : "The deployment waits for it, and keeps it if it still runs at the timeout";
}

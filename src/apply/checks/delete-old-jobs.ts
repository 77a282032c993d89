import { checkJobSelector } from "../../model/check-job.ts";
import { addressOf, idOf, uidOf } from "../../model/object.ts";
import type { ApplyRun } from "../run.ts";

/**
 * Deletes the Jobs of checks that earlier runs left, after a successful run. Jobs that this run
 * used stay, so that a run without changes doesn't run them again. A Job that can't be deleted
 * stays too: it has ended, and the next run tries again.
 */
export async function deleteOldJobs(run: ApplyRun): Promise<void> {
  const { plan, world, limit } = run;
  if (plan.hasCheckJobs !== true) return;
  const selector = checkJobSelector(plan.deployment);
  const listed = await world.cluster.list("batch/v1", "Job", plan.namespace, selector);
  if (!listed.ok) return;
  const old = listed.value.items.filter((job) => !run.ledger.checkJobs.has(idOf(job).name));
  await Promise.all(
    old.map((job) => limit(() => world.cluster.delete(addressOf(job), uidOf(job)))),
  );
}

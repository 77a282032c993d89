/**
 * The steps of work left for everything that qvs computes from the manifests of a plan.
 * Each computation reduces them.
 */
export interface WorkBudget {
  left: number;
}

/** The budget for all objects of a plan: some ten seconds, whatever the manifests contain. */
const maxPlanWork = 200_000_000;

export function createPlanBudget(): WorkBudget {
  return { left: maxPlanWork };
}

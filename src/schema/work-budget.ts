/** How many steps of work are left for what the manifests of a plan make us compute. It is spent by whoever computes. */
export interface WorkBudget {
  left: number;
}

/** For all objects of a plan together: some ten seconds, whatever manifests say and however many there are. */
const mostOfPlan = 200_000_000;

export function budgetOfPlan(): WorkBudget {
  return { left: mostOfPlan };
}

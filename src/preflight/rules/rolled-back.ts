import type { Finding } from "../../model/problems/finding.ts";
import { type ActiveRollback, findingWithoutPlace, type PreflightInput } from "../rule.ts";

/**
 * Reports a plan that replaces a rollback, which is a decision of a user.
 * It describes the effect on the rollback, and whether a merge causes it.
 */
export function rolledBack({ plan, releases }: PreflightInput): readonly Finding[] {
  const { rollback } = releases;
  const changed = plan.changes.find(({ action }) => action !== "unchanged");
  const object = changed?.desired ?? plan.deletions[0]?.live;
  if (rollback === undefined || object === undefined) return [];
  const { revision, to, from, redeploysPrevious, replacingEvent } = rollback;
  return [
    findingWithoutPlace(object, {
      code: "rolled-back",
      severity: redeploysPrevious && replacingEvent !== "no merge" ? "warning" : "note",
      what: redeploysPrevious
        ? `Release ${from} was rolled back and would be deployed again`
        : `Release ${from} was rolled back, and the rollback would be replaced`,
      why: [
        `The rollback to release ${to} is the current release, ${revision}`,
        redeploysPrevious
          ? `This deployment has exactly the objects of release ${from}`
          : `This deployment differs from release ${from}, too`,
        rollbackConsequence(rollback),
      ].join(". "),
      fix: redeploysPrevious
        ? `Find out first why release ${from} was rolled back`
        : `Make sure that this deployment doesn't have the problem of release ${from}`,
    }),
  ];
}

function rollbackConsequence({ replacingEvent }: ActiveRollback): string {
  switch (replacingEvent) {
    case "merging":
      return "This pull request changes the deployment, so merging it ends the rollback";
    case "no merge":
      return "Merging doesn't deploy it: a rollback stays until the deployment itself changes";
    case "a push":
      return "A push deploys it only if the push changes this deployment. Until then, the rollback stays";
    case "another rollback":
      return "This rollback replaces the earlier one";
  }
}

import { addressOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { PreflightInput, RollbackThatRuns } from "../rule.ts";

/**
 * Reports a plan that replaces a rollback, which is a decision of a user.
 * It describes the effect on the rollback, and whether a merge causes it.
 */
export function rolledBack({ plan, releases }: PreflightInput): readonly Finding[] {
  const { rollback } = releases;
  const changed = plan.changes.find(({ action }) => action !== "unchanged");
  const object = changed?.desired ?? plan.deletions[0]?.live;
  if (rollback === undefined || object === undefined) return [];
  const { revision, to, from, isBroughtBack, endedBy } = rollback;
  const what = isBroughtBack
    ? `Release ${from} was rolled back to release ${to}, which now runs as release ${revision}: deploying this brings back exactly what release ${from} had`
    : `Release ${from} was rolled back to release ${to}, which now runs as release ${revision}: deploying this replaces it with something that is not release ${from} either`;
  return [
    {
      code: "rolled-back",
      severity: isBroughtBack && endedBy !== "no merge" ? "warning" : "note",
      object: addressOf(object),
      what,
      why: consequenceOf(rollback),
      fix: isBroughtBack
        ? `Find out first why release ${from} was rolled back`
        : `Make sure that it does not bring back what was wrong with release ${from}`,
      where: [],
    },
  ];
}

function consequenceOf({ endedBy }: RollbackThatRuns): string {
  switch (endedBy) {
    case "merging":
      return "this pull request changes the deployment, so merging it ends the rollback";
    case "no merge":
      return "merging does not deploy it: a rollback stays until the deployment itself is changed";
    case "a push":
      return "a push deploys it only if the push changes this deployment; until then the rollback stays";
    case "another rollback":
      return "this rollback takes the place of that one";
  }
}

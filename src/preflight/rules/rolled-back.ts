import { addressOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { PreflightInput, RollbackThatRuns } from "../rule.ts";

/** The release that runs is somebody's decision to go back: what this plan would do to it, and whether a merge does so. */
export function rolledBack({ plan, releases }: PreflightInput): readonly Finding[] {
  const { rollback } = releases;
  const changed = plan.changes.find(({ action }) => action !== "unchanged");
  const object = changed?.desired ?? plan.deletions[0]?.live;
  if (rollback === undefined || object === undefined) return [];
  const { revision, to, from, isBroughtBack, isChangedHere } = rollback;
  const what = isBroughtBack
    ? `Release ${revision}, which runs, went back to release ${to}: deploying this brings back exactly what release ${from} had`
    : `Release ${revision}, which runs, is a rollback to release ${to}: deploying this replaces it by something that is not release ${from} either`;
  return [
    {
      code: "rolled-back",
      severity: isBroughtBack && isChangedHere !== false ? "warning" : "note",
      object: addressOf(object),
      what,
      why: consequenceOf(rollback),
      fix: isBroughtBack
        ? `Ask why release ${from} was rolled back: it is the same again`
        : `Make sure that it does not bring back what was wrong with release ${from}`,
      where: [],
    },
  ];
}

function consequenceOf({ isChangedHere }: RollbackThatRuns): string {
  switch (isChangedHere) {
    case true:
      return "merging deploys it, because this pull request changes the deployment, which ends the rollback";
    case false:
      return "merging does not deploy it: a rollback stays until the deployment itself is changed";
    case undefined:
      return "a push deploys it only if the push changes this deployment; until then the rollback stays";
  }
}

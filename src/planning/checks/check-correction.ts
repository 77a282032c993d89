import { textAt } from "../../model/json.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Release } from "../../model/release.ts";
import { lostByCorrection } from "../../preflight/rules/irreversible.ts";
import type { Checked } from "./checked.ts";

interface Correction {
  readonly releases: readonly Release[];
  /** The running release; undefined for what corrects nothing. */
  readonly corrects: Release | undefined;
  /** Correct also where something is lost, or migrates again. */
  readonly allowed: boolean;
}

/**
 * What a correction would make that is not what it was, although its manifest is the same: a claim without its data, a migration that
 * runs again. Nobody looks at each correction before it is made, least of all with `reconcile --watch`: so it is told as drift, and in
 * the way of all of the correction until somebody allows it.
 */
export function checkCorrection(
  plan: Plan,
  { releases, corrects, allowed }: Correction,
): Checked & { readonly findings: readonly Finding[] } {
  if (corrects === undefined) return { findings: [], blockers: [], notices: [] };
  const to = corrects.revision;
  const findings = lostByCorrection({
    plan: { ...plan, changes: plan.changes.filter(creates) },
    releases,
    to,
  });
  const told = findings.map(({ what, fix }) => ({
    code: "irreversible-correction" as const,
    what,
    fix: allowed ? fix : `${fix}. Then correct it with --allow-irreversible`,
    ...(allowed ? {} : { inputs: ["allow-irreversible: true"] }),
    where: [],
  }));
  return allowed
    ? { findings, blockers: [], notices: told }
    : { findings, blockers: told, notices: [] };
}

/** What is being deleted is created again as soon as it is gone, whatever else is to be done to it. */
function creates({ action, live }: Change): boolean {
  const isDeleted = textAt(live, "metadata", "deletionTimestamp") !== undefined;
  return action === "create" || action === "replace" || isDeleted;
}

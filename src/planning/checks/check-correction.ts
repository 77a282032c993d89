import type { Release } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { textAt } from "../../model/json.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { correctionLosses } from "../../preflight/rules/irreversible.ts";
import type { CheckResult } from "./check-result.ts";

interface Correction {
  readonly history: ReleaseHistory;
  /** The current release; undefined if this plan isn't a correction. */
  readonly corrects: Release | undefined;
  /** True to correct even if data is lost or a migration runs again. */
  readonly allowed: boolean;
}

/**
 * Finds objects that a correction can't restore although their manifests are the same.
 * Examples are a claim without its data and a migration that runs again. No user reviews each
 * correction first, least of all with `reconcile --watch`. Therefore qvs reports such objects as
 * drift, and blocks the whole correction until a user allows it.
 */
export function checkCorrection(
  plan: Plan,
  { history, corrects, allowed }: Correction,
): CheckResult & { readonly findings: readonly Finding[] } {
  if (corrects === undefined) return { findings: [], blockers: [], notices: [] };
  const to = corrects.revision;
  const findings = correctionLosses({
    plan: { ...plan, changes: plan.changes.filter(createsObject) },
    history,
    to,
  });
  const problems = findings.map(({ what, why, fix }) => ({
    code: "irreversible-correction" as const,
    what,
    why: why || undefined,
    fix,
    ...(allowed ? {} : allowAdvice),
    where: [],
  }));
  return allowed
    ? { findings, blockers: [], notices: problems }
    : { findings, blockers: problems, notices: [] };
}

const allowAdvice = {
  otherwise: ["accept the loss and correct it with --allow-irreversible"],
  inputs: ["allow-irreversible: true"],
};

/**
 * Reports whether the change creates the object.
 * qvs also creates an object again when its current deletion ends, whatever its action is.
 */
function createsObject({ action, live, steps }: Change): boolean {
  const isDeleted = textAt(live, "metadata", "deletionTimestamp") !== undefined;
  return action === "create" || replacesPods({ action, steps }) || isDeleted;
}

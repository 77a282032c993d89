import { textAt } from "../../model/json.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Release } from "../../model/release.ts";
import { lostByCorrection } from "../../preflight/rules/irreversible.ts";
import type { Checked } from "./checked.ts";

interface Correction {
  readonly releases: readonly Release[];
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

/**
 * Reports whether the change creates the object.
 * qvs also creates an object again when its current deletion ends, whatever its action is.
 */
function creates({ action, live }: Change): boolean {
  const isDeleted = textAt(live, "metadata", "deletionTimestamp") !== undefined;
  return action === "create" || action === "replace" || isDeleted;
}

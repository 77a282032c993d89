import type { OverriddenFreeze } from "../model/deployments/release.ts";
import type { Problem } from "../model/problems/problem.ts";
import { environmentMismatch, sourceMismatch } from "../releases/mismatches.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";
import { checkCommitOrder } from "./checks/check-commit-order.ts";
import { checkFreeze } from "./checks/check-freeze.ts";
import { checkRemoval } from "./checks/check-removal.ts";
import { type DesiredState, isFromCommit } from "./desired-state.ts";
import { blockedPlan, type PlannedDeployment } from "./planned-deployment.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * The facts that qvs reads before any object: earlier releases, and the reasons that block this run
 * whatever it changes.
 */
export interface PlanContext {
  readonly recorded: RecordedReleases;
  /** Set if another source deployed this deployment, and the user didn't ask to adopt it. */
  readonly otherSource: Problem | undefined;
  /**
   * True if a record provides the manifests and must not write outside its namespace.
   * A record is no permission for the objects that it names elsewhere.
   */
  readonly isFromRecord: boolean;
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
  /** The freeze that this run overrides. */
  readonly overrode: OverriddenFreeze | undefined;
}

type PlanContextRead =
  | { readonly ok: true; readonly value: PlanContext }
  /** The plan ends here: qvs can't make it, or doesn't need it. */
  | { readonly ok: false; readonly ends: PlannedDeployment };

/**
 * Returns the problem if the releases are those of another repository or list. An environment has
 * an identity of its own, which doesn't change if its repository is renamed.
 */
export function findOtherSource(
  { deployment, source, request }: Pick<PlanningContext, "deployment" | "source" | "request">,
  desired: Pick<DesiredState, "rollbackOf" | "deletes" | "isOwnEnvironment">,
  recorded: RecordedReleases,
): Problem | undefined {
  const isFromList = isFromCommit(desired);
  const otherEnvironment = isFromList ? environmentMismatch(recorded, deployment) : undefined;
  if (otherEnvironment !== undefined) return otherEnvironment;
  const isOwnEnvironment =
    desired.isOwnEnvironment === true || (isFromList && deployment.environmentOf !== undefined);
  return request.adopt || isOwnEnvironment
    ? undefined
    : sourceMismatch(recorded, source, deployment);
}

export async function readPlanContext(
  context: PlanningContext,
  desired: DesiredState,
): Promise<PlanContextRead> {
  const { cluster, deployment, request } = context;
  // Starts together with the read of the releases, to save a round trip to a distant cluster.
  const pendingFreeze = checkFreeze(context);
  // The plan can end before it awaits this promise; a failure must not stay unhandled then.
  pendingFreeze.catch(() => {});
  const read = await (context.recorded ?? readReadableReleases(cluster, deployment, context));
  if (!read.ok) {
    return {
      ok: false,
      ends: blockedPlan(undefined, undefined, desired.unsupported, read.problems),
    };
  }
  const recorded = read.value;
  const otherSource = findOtherSource(context, desired, recorded);
  const commitOrder =
    otherSource === undefined && isFromCommit(desired)
      ? await checkCommitOrder(context, recorded)
      : undefined;
  if (commitOrder?.superseded !== undefined) {
    const { superseded } = commitOrder;
    return { ok: false, ends: { ...blockedPlan(undefined, recorded), superseded } };
  }
  const removalProblems =
    desired.removedByCommit === true ? await checkRemoval(context, recorded) : [];
  const freeze = await pendingFreeze;
  const blockers = [
    ...freeze.blockers,
    ...desired.unsupported,
    ...(otherSource === undefined ? [] : [otherSource]),
    ...(commitOrder?.blockers ?? []),
    ...removalProblems,
  ];
  const notices = [...freeze.notices, ...(commitOrder?.notices ?? [])];
  const isFromRecord = !isFromCommit(desired) && !request.allowOutsideNamespace;
  const overrode = freeze.overridden;
  return { ok: true, value: { recorded, otherSource, isFromRecord, blockers, notices, overrode } };
}

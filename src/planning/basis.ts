import type { Problem } from "../model/problems/problem.ts";
import type { OverriddenFreeze } from "../model/release.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { type RecordedReleases, readReadableReleases } from "../releases/store.ts";
import { checkCommitOrder } from "./checks/check-commit-order.ts";
import { checkFreeze } from "./checks/check-freeze.ts";
import { checkRemoval } from "./checks/check-removal.ts";
import { type DesiredState, isOfCommit } from "./desired-state.ts";
import { blocked, type PlannedDeployment } from "./planned-deployment.ts";
import type { PlanningContext } from "./planning-context.ts";

/** What is known before any object is looked at: what ran before, and what speaks against this run whatever it would change. */
export interface Basis {
  readonly recorded: RecordedReleases;
  /** That another source has deployed it, and nobody has said that this one takes it over. */
  readonly elsewhere: Problem | undefined;
  /** What a record says is no right to what it names elsewhere. */
  readonly byRecord: boolean;
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
  /** The freeze that is overridden. */
  readonly overrode: OverriddenFreeze | undefined;
}

type ReadBasis =
  | { readonly ok: true; readonly value: Basis }
  /** Nothing can be planned, or need be. */
  | { readonly ok: false; readonly ends: PlannedDeployment };

export async function readBasis(
  context: PlanningContext,
  desired: DesiredState,
): Promise<ReadBasis> {
  const { cluster, deployment, source } = context;
  // Beside the releases, which it does not depend on: each answer of a distant cluster costs its time.
  const freezing = checkFreeze(context);
  // Where the plan ends before it is awaited, nobody else would hear of its failure.
  freezing.catch(() => {});
  const read = await (context.recorded ?? readReadableReleases(cluster, deployment, context));
  if (!read.ok) {
    return { ok: false, ends: blocked(undefined, undefined, desired.unsupported, read.problems) };
  }
  const recorded = read.value;
  const { releases } = recorded;
  const elsewhere = context.adopt ? undefined : problemOfOtherSource(releases, source, deployment);
  const inOrder =
    elsewhere === undefined && isOfCommit(desired)
      ? await checkCommitOrder(context, releases)
      : undefined;
  if (inOrder?.superseded !== undefined) {
    const { superseded } = inOrder;
    return { ok: false, ends: { ...blocked(undefined, recorded), superseded } };
  }
  const notRemoved = desired.removedByCommit === true ? await checkRemoval(context, releases) : [];
  const freeze = await freezing;
  const blockers = [
    ...freeze.blockers,
    ...desired.unsupported,
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(inOrder?.blockers ?? []),
    ...notRemoved,
  ];
  const notices = [...freeze.notices, ...(inOrder?.notices ?? [])];
  const byRecord = desired.rollbackOf !== undefined && !context.allowOutsideNamespace;
  const overrode = freeze.overridden;
  return { ok: true, value: { recorded, elsewhere, byRecord, blockers, notices, overrode } };
}

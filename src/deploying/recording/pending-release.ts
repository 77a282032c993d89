import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Release, ReleaseSource } from "../../model/deployments/release.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ApprovedPlans } from "../../model/plan/approval.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredState } from "../../planning/desired-state.ts";
import type { ExecutablePlan } from "../../planning/planned-deployment.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { World } from "../../ports/world.ts";
import { pendingRelease } from "../../releases/record.ts";
import { recordPending } from "../../releases/store.ts";
import type { DeployContext } from "../with-lock.ts";

/** A pending release, and the Secret whose existence makes it a release. */
export interface PendingRecord {
  readonly release: Release;
  readonly head: KubeObject;
}

/** Returns a function that writes the record when it is first called, and only once. */
export function recordOnce(
  world: World,
  { lock, deployment, request, announce }: DeployContext,
  planned: ExecutablePlan,
  desired: DesiredState,
) {
  const { plan } = planned;
  const release = newRelease(world, planned, desired, {
    approvedIn: approvingPullRequests(plan, request.expected),
    deployment,
  });
  let writing: Promise<KubeObject> | undefined;
  let pending: PendingRecord | undefined;
  const write = async (): Promise<void> => {
    writing ??= recordPending(lock.cluster, release, deployment.namespace, world);
    const head = await writing;
    if (pending !== undefined) return;
    pending = { release, head };
    world.progress(deployment).report({ type: "recorded", revision: release.revision });
    announce?.(release, plan);
  };
  return { write, written: () => pending };
}

function newRelease(
  world: World,
  { plan, expandedConfig, deletionHooks, recorded, source, overrode }: ExecutablePlan,
  { rollbackOf, input, layout, checks = [], deletes }: DesiredState,
  {
    approvedIn,
    deployment: { environmentOf },
  }: { readonly approvedIn: readonly string[]; readonly deployment: Deployment },
): Release {
  const environment = environmentOf?.recorded ?? recorded.newest?.environment;
  // A deletion comes from no commit, so that no later commit is compared with it.
  const origin = deletes === true ? withoutCommit(source) : source;
  return pendingRelease(plan, recorded, {
    revision: recorded.next,
    rollbackOf,
    inputConfig: input,
    expandedConfig,
    layout,
    ...(checks.length === 0 ? {} : { checks }),
    ...(deletionHooks === undefined ? {} : { deletionHooks }),
    ...(environment === undefined ? {} : { environment }),
    ...(overrode === undefined ? {} : { overrode }),
    source: { ...origin, ...(approvedIn.length === 0 ? {} : { approvedIn }) },
    startedAt: world.clock.now().toISOString(),
  });
}

function withoutCommit({ uncommitted: _, ...source }: ReleaseSource): ReleaseSource {
  return { ...source, commit: undefined };
}

/** Returns the pull requests whose previews showed the plan. */
function approvingPullRequests(
  { notices }: Plan,
  expected: ApprovedPlans | undefined,
): readonly string[] {
  const isApproved = notices.some(
    ({ code }) => code === "plan-approved" || code === "plan-approved-in-part",
  );
  const given = expected?.approvals.map(({ by }) => by).filter((by) => by !== "");
  return isApproved ? (given ?? []) : [];
}

/**
 * Returns the cluster for a plan without changes, which records the release before any write.
 * The objects that a manifest refers to might have changed since the plan was made. Then the run
 * writes after all.
 */
export function recordBeforeWrites(cluster: Cluster, record: () => Promise<void>): Cluster {
  const unlessDryRun = async (how?: { readonly dryRun?: boolean }) => {
    if (how?.dryRun !== true) await record();
  };
  return {
    ...cluster,
    async apply(object, how) {
      await unlessDryRun(how);
      return cluster.apply(object, how);
    },
    async patch(address, operations, how) {
      await unlessDryRun(how);
      return cluster.patch(address, operations, how);
    },
    async create(object, how) {
      await unlessDryRun(how);
      return cluster.create(object, how);
    },
    async replace(object, how) {
      await unlessDryRun(how);
      return cluster.replace(object, how);
    },
    async delete(...object) {
      await record();
      return cluster.delete(...object);
    },
  };
}

import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import {
  noUpstreamDeployments,
  type UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import type { Plan } from "../model/plan/plan.ts";
import { type Finding, isOpen } from "../model/problems/finding.ts";
import type { FindingCode } from "../model/problems/finding-codes.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import { toReleased } from "../plan/declared/declare-objects.ts";
import type { DeclaredObject } from "../plan/declared/objects.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ClusterFacts } from "../preflight/cluster-facts.ts";
import {
  computeFindings,
  dependencyFindings,
  dryRunFindings,
} from "../preflight/compute-findings.ts";
import { type FactsPurpose, predictDeletions } from "../preflight/predict-deletions.ts";
import type { OwnObjectCounts } from "../preflight/rule.ts";
import { unreportedNotices } from "../preflight/rules/server-warnings.ts";
import { countRecordSecrets } from "../releases/encode.ts";
import type { DesiredState } from "./desired-state.ts";
import { dryRunClaims, dryRunPods } from "./dry-run-pods.ts";
import { readHealthRuleFaults, readUnruledKinds } from "./facts/health-rules.ts";
import {
  readAdmission,
  readDependencies,
  readKinds,
  readOwners,
  readQuotas,
  releaseFacts,
} from "./facts/read-facts.ts";
import { readOutsideReferrers, readReferrers, readUsers } from "./facts/referrers.ts";
import { readSchedulingFacts } from "./facts/scheduling.ts";
import { type FactsReader, readUnready } from "./facts/unready.ts";

interface PreflightContext {
  readonly cluster: Cluster;
  readonly request: Pick<PlanningRequest, "limits">;
  /** The purpose of the reading identity: it only previews, or it also deploys. */
  readonly purpose: FactsPurpose;
  /** The current time (ISO 8601). */
  readonly now: string;
  readonly timeoutMs?: number | undefined;
  /** True if the pull request changes the deployment; undefined outside a pull request. */
  readonly isChangedHere?: boolean | undefined;
  /** The changes that earlier deployments will have made by then. */
  readonly upstream?: UpstreamDeployments | undefined;
  readonly compress?: ((text: string) => Uint8Array) | undefined;
}

interface PreflightResult {
  readonly findings: readonly Finding[];
  /** The plan as qvs will execute it, without notices that findings already cover. */
  readonly plan: Plan;
}

const expectedOnDelete: ReadonlySet<FindingCode> = new Set(["many-deletions", "rolled-back"]);

/**
 * Removes the deletions that the deployment won't make; reads the cluster only if there are any.
 */
export async function dropKeptDeletions(
  { cluster, request: { limits } }: Pick<PreflightContext, "cluster" | "request">,
  plan: Plan,
): Promise<Plan> {
  if (plan.deletions.length === 0) return plan;
  return predictDeletions(
    plan,
    { users: await readUsers(cluster, plan, limits.concurrency) },
    "deploy",
  );
}

/**
 * Returns notices about missing objects that Pods name, for a plan that no user reads before its
 * execution.
 * Without these notices, the deployment would wait until its time limit. The check needs only a few
 * requests.
 */
export async function dependencyNotices(
  { cluster, request: { limits } }: Pick<PreflightContext, "cluster" | "request">,
  plan: Plan,
  declared: readonly DeclaredObject[],
): Promise<readonly Problem[]> {
  const dependencies = await readDependencies(cluster, plan, limits.concurrency);
  const facts = { dependencies, upstreamChanges: [] };
  const found = dependencyFindings({ plan, facts, placeOf: declaredPlaces(declared) });
  return found.filter(isOpen).map(asNotice("missing-dependency"));
}

/** Returns the declared fields that the API server drops; deployments and drift report them. */
export function droppedFields(
  plan: Plan,
  declared: readonly DeclaredObject[],
): { readonly findings: readonly Finding[]; readonly notices: readonly Problem[] } {
  const findings = dryRunFindings({ plan, placeOf: declaredPlaces(declared) });
  return { findings, notices: findings.filter(isOpen).map(asNotice("field-dropped")) };
}

function asNotice(code: ProblemCode): (finding: Finding) => Problem {
  return ({ what, why, fix, where }) => ({ code, what, why: why || undefined, fix, where });
}

function declaredPlaces(declared: readonly DeclaredObject[]) {
  const places = new Map(declared.map(({ key, where }) => [key, where]));
  return (key: string) => places.get(key);
}

/** Predicts how the cluster reacts to a plan, from reads and dry runs. */
export async function predict(
  {
    cluster,
    request,
    purpose,
    now,
    timeoutMs,
    isChangedHere,
    upstream,
    compress,
  }: PreflightContext,
  plan: Plan,
  declared: readonly DeclaredObject[],
  history: ReleaseHistory,
  {
    deletes,
    rollbackOf,
    irreproducible,
    deletionHooks = [],
  }: Partial<
    Pick<DesiredState, "deletes" | "rollbackOf" | "irreproducible" | "deletionHooks">
  > = {},
): Promise<PreflightResult> {
  const { concurrency } = request.limits;
  const facts = await readFacts({ cluster, concurrency, now }, plan, upstream);
  const endedBy = rollbackOf === undefined ? deployTrigger(isChangedHere) : "another rollback";
  const manifests = toReleased(declared);
  const releases = {
    ...releaseFacts(history, manifests, endedBy),
    ownObjects: ownObjects(
      plan,
      history,
      countRecordSecrets([...manifests, ...deletionHooks], compress),
    ),
  };
  const findPlace = declaredPlaces(declared);
  const found = computeFindings({
    ...{ plan, facts, releases, purpose, timeoutMs, placeOf: findPlace },
    ...(irreproducible === undefined ? {} : { irreproducible }),
  });
  // A user who deletes a deployment expects many deletions and the end of any rollback.
  const findings =
    deletes === true ? found.filter(({ code }) => !expectedOnDelete.has(code)) : found;
  const notices = unreportedNotices(plan, findings);
  return { findings, plan: { ...predictDeletions(plan, facts, purpose), notices } };
}

/**
 * Returns the objects that qvs creates for itself.
 * The Lease of the deployment lock exists since the first release.
 */
function ownObjects(
  { changes, deletions }: Plan,
  { newest }: ReleaseHistory,
  secrets: number,
): OwnObjectCounts | undefined {
  const isRecorded = deletions.length > 0 || changes.some(({ action }) => action !== "unchanged");
  return isRecorded ? { secrets, leases: newest === undefined ? 1 : 0 } : undefined;
}

function deployTrigger(isChangedHere: boolean | undefined): "merging" | "no merge" | "a push" {
  if (isChangedHere === undefined) return "a push";
  return isChangedHere ? "merging" : "no merge";
}

/**
 * Reads the facts about the cluster that decide the outcome of this plan.
 * A denied read is a fact, too.
 */
export async function readFacts(
  reader: FactsReader,
  plan: Plan,
  upstream = noUpstreamDeployments,
): Promise<ClusterFacts> {
  const { cluster, concurrency } = reader;
  const before = {
    upstreamChanges: [...upstream.changes.values()],
    upstreamDeletions: [...upstream.deleted.values()],
  };
  const [
    scheduling,
    samplePods,
    sampleClaims,
    quotas,
    dependencies,
    users,
    near,
    outside,
    kinds,
    unready,
    owners,
    admissionObjects,
    unruledKinds,
    healthRuleFaults,
    version,
  ] = await Promise.all([
    readSchedulingFacts(cluster, plan),
    dryRunPods(cluster, plan, concurrency),
    dryRunClaims(cluster, plan, concurrency),
    readQuotas(cluster, plan, concurrency),
    readDependencies(cluster, plan, concurrency),
    readUsers(cluster, plan, concurrency),
    readReferrers(cluster, plan, concurrency),
    readOutsideReferrers(cluster, plan, concurrency),
    readKinds(cluster, plan),
    readUnready(reader, plan, upstream),
    readOwners(cluster, plan, concurrency),
    readAdmission(cluster, plan, before),
    readUnruledKinds(reader, plan),
    readHealthRuleFaults(reader, plan),
    cluster.version(),
  ]);
  const referrers = new Map([...near, ...outside]);
  const samples = { samplePods, sampleClaims };
  const read = {
    ...samples,
    server: version.ok ? version.value : undefined,
    quotas,
    dependencies,
    users,
    referrers,
    kinds,
    unready,
    owners,
    admissionObjects,
    unruledKinds,
    healthRuleFaults,
  };
  return { ...scheduling, ...read, ...before };
}

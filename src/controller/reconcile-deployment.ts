import type { InventoryEntry } from "../model/deployments/release.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { CheckOutcome, ControllerEvent } from "./events.ts";
import type { Membership } from "./membership.ts";
import type { WorkQueue } from "./queue.ts";
import { type DeploymentId, parseDeploymentKey, type ReleasesIndex } from "./releases-index.ts";
import type { Schedule } from "./schedule.ts";
import type { InventoryWatch } from "./watch-inventory.ts";

/** Handles a new, changed or deleted deployment. */
export function handleReleasesChanged(
  deployment: string,
  dependencies: ControllerDependencies,
): void {
  if (dependencies.index.stateKey(deployment) === undefined) {
    dropDeployment(deployment, dependencies);
    return;
  }
  if (owns(deployment, dependencies)) takeDeployment(deployment, dependencies);
  // A replica that isn't a member now gets no new deployments. It keeps its deployments and checks
  // them when it's a member again.
  if (dependencies.owned.has(deployment)) dependencies.schedule.released(deployment);
}

function owns(deployment: string, { options, membership }: ControllerDependencies): boolean {
  return assignOwner(deployment, membership.members(), options.hash) === options.identity;
}

function takeDeployment(deployment: string, { owned, options }: ControllerDependencies): void {
  if (owned.has(deployment)) return;
  owned.set(deployment, undefined);
  options.onEvent({ type: "deployment-found", deployment });
}

function dropDeployment(deployment: string, dependencies: ControllerDependencies): void {
  const { owned, skipped, schedule, inventory, inProgress } = dependencies;
  if (!owned.delete(deployment)) return;
  skipped.delete(deployment);
  schedule.forget(deployment);
  inventory.remove(deployment);
  // The drop is reported after the result of a check in progress.
  if (!inProgress.has(deployment)) reportDropped(deployment, dependencies);
}

function reportDropped(deployment: string, { options }: ControllerDependencies): void {
  options.onEvent({ type: "deployment-dropped", deployment });
}

/**
 * Redistributes the deployments after a change of the members.
 * A replica that isn't a member any more keeps its watches. It usually is a member again when the
 * API server answers.
 */
export function redistributeDeployments(dependencies: ControllerDependencies): void {
  const { membership, index, owned, queue, skipped } = dependencies;
  if (!membership.isMember()) return;
  for (const deployment of index.deployments()) {
    const isOwned = owns(deployment, dependencies);
    if (!isOwned) dropDeployment(deployment, dependencies);
    else if (!owned.has(deployment) || skipped.delete(deployment)) {
      takeDeployment(deployment, dependencies);
      queue.add(deployment);
    }
  }
}

/** Checks a due deployment and schedules its next check. Rejects only if a listener throws. */
export async function reconcileDeployment(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { options, schedule, membership, skipped, owned, inProgress } = dependencies;
  if (!membership.isMember()) {
    skipped.add(deployment);
    return;
  }
  if (!owns(deployment, dependencies)) return dropDeployment(deployment, dependencies);
  if (schedule.isTooEarly(deployment)) return;
  const { clock, onEvent } = options;
  const began = clock.elapsed();
  inProgress.add(deployment);
  const outcome = await checkDeployment(deployment, dependencies).finally(() =>
    inProgress.delete(deployment),
  );
  if (outcome === undefined) return reportDropped(deployment, dependencies);
  const milliseconds = clock.elapsed() - began;
  const again = owned.has(deployment) ? schedule.concluded(deployment, outcome) : 0;
  onEvent({ type: "reconciled", deployment, outcome, milliseconds, again });
  if (!owned.has(deployment)) reportDropped(deployment, dependencies);
}

/**
 * Returns the outcome of a check; undefined if the deployment no longer belongs to this replica.
 */
async function checkDeployment(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<CheckOutcome | undefined> {
  const { options, index, owned } = dependencies;
  // A deployment in progress changes many objects. This early return saves requests to the API
  // server until it ends.
  const unsettledReason = index.unsettledReason(deployment);
  if (unsettledReason !== undefined) return { type: "waiting", why: unsettledReason };
  try {
    // The watch starts before the read, so that no change between them is lost.
    await watchInventory(deployment, dependencies);
    if (!owned.has(deployment)) return undefined;
    return await options.reconcileOne(parseDeploymentKey(deployment), options.signal);
  } catch (error) {
    return options.signal.aborted ? { type: "stopped" } : errorOutcome(error);
  }
}

async function watchInventory(
  deployment: string,
  dependencies: ControllerDependencies,
): Promise<void> {
  const { options, index, inventory, owned } = dependencies;
  const state = index.stateKey(deployment);
  if (owned.get(deployment) === state && state !== undefined) return;
  const entries = await options.readInventory(parseDeploymentKey(deployment));
  // Another replica might own the deployment by now, and then that replica watches it.
  if (!owned.has(deployment)) return;
  await inventory.set(deployment, entries);
  if (owned.has(deployment)) owned.set(deployment, state);
}

/** Returns hex digits of a fixed length, so that strings compare like numbers. */
type Hash = (text: string) => string;

/**
 * Returns the member that owns an item: the one with the highest hash of both names (rendezvous
 * hashing).
 * All replicas with the same members get the same result. If a member leaves, only its items move.
 * Returns undefined without members.
 */
export function assignOwner(
  item: string,
  members: Iterable<string>,
  hash: Hash,
): string | undefined {
  let best: { readonly member: string; readonly score: string } | undefined;
  for (const member of [...members].toSorted()) {
    const score = hash(`${member}\n${item}`);
    if (best === undefined || score > best.score) best = { member, score };
  }
  return best?.member;
}

export interface ControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hash: (text: string) => string;
  /** Stops the controller after the work in progress. */
  readonly signal: AbortSignal;
  /** The namespaces of the releases; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly isChosen: (id: DeploymentId) => boolean;
  /** The namespace and name of the group, for the Leases of the replicas. */
  readonly group: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseMs: number;
  readonly resyncMs: number;
  /** The number of deployments that are processed at the same time. */
  readonly concurrency: number;
  readInventory(id: DeploymentId): Promise<readonly InventoryEntry[]>;
  /** Checks one deployment and corrects it. Takes the deployment lock before it writes. */
  reconcileOne(id: DeploymentId, signal: AbortSignal): Promise<CheckOutcome>;
  onEvent(event: ControllerEvent): void;
}

/** The components and the state of a running controller. */
export interface ControllerDependencies {
  readonly options: ControllerOptions;
  readonly queue: WorkQueue;
  readonly schedule: Schedule;
  readonly index: ReleasesIndex;
  readonly inventory: InventoryWatch;
  readonly membership: Membership;
  /** The deployments of this replica → the watched state of their releases. */
  readonly owned: Map<string, string | undefined>;
  /** The deployments that were due while this replica wasn't a member. */
  readonly skipped: Set<string>;
  /** The deployments with a check in progress. */
  readonly inProgress: Set<string>;
}

/** Errors of an unreachable or overloaded API server. They are temporary. */
const unavailableCodes: readonly ProblemCode[] = ["cluster-unreachable", "api-unavailable"];
/**
 * Errors after another client changed the object or took ownership of a field. The next plan
 * includes that change.
 */
const conflictCodes: readonly ProblemCode[] = ["object-changed", "field-conflict"];

/**
 * Returns the outcome of a check that ended with an error. Only an internal error shows a stack
 * trace.
 * After any other error, the check has changed nothing.
 */
function errorOutcome(error: unknown): CheckOutcome {
  if (error instanceof UserError) return problemOutcome(error.problems);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "failed", why };
}

function problemOutcome(problems: readonly Problem[]): CheckOutcome {
  const why = problems.map(formatOnOneLine).join("; ");
  const has = (...codes: readonly ProblemCode[]) =>
    problems.some(({ code }) => codes.includes(code));
  if (has(...unavailableCodes)) return { type: "unreachable", why };
  if (has("lock-held")) return { type: "locked", why };
  if (has("release-not-succeeded")) return { type: "waiting", why };
  if (has("deployments-frozen")) return { type: "frozen", why };
  return { type: "refused", why };
}

type ExplainedProblem = Pick<Problem, "code" | "what" | "facts" | "why" | "fix">;

/** Returns `what: evidence: why → fix`. */
function formatOnOneLine({ what, facts = [], why, fix }: ExplainedProblem): string {
  const values = facts.map(({ value }) => value);
  const known = [what, ...values, why].filter((text) => text !== undefined && text !== "");
  return `${known.join(": ")}${fix === "" ? "" : ` → ${fix}`}`;
}

/** An object that couldn't be corrected, with the reason. */
interface FailedObject extends ExplainedProblem {
  /** `Deployment shop/web`. */
  readonly name: string;
}

/**
 * Returns the outcome of an incomplete correction. `objects` are the keys of the corrected objects.
 */
export function failureOutcome(
  failures: readonly FailedObject[],
  objects: readonly string[],
): CheckOutcome {
  const why = failures.map((failure) => `${failure.name}: ${formatOnOneLine(failure)}`).join("; ");
  const areAll = (codes: readonly ProblemCode[]) =>
    failures.length > 0 && failures.every(({ code }) => codes.includes(code));
  if (areAll(conflictCodes)) return { type: "overtaken", objects, why };
  if (areAll(unavailableCodes)) return { type: "unreachable", why };
  return { type: "failed", why };
}

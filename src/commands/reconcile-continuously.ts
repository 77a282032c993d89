import { type ReconcileController, startController } from "../controller/controller.ts";
import type { CheckOutcome, ControllerEvent } from "../controller/events.ts";
import { failureOutcome } from "../controller/reconcile-deployment.ts";
import type { DeploymentId } from "../controller/releases-index.ts";
import { concurrency } from "../deploying/queries/list-recorded.ts";
import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { InventoryEntry, ObjectResult } from "../model/deployments/release.ts";
import { textAt } from "../model/json.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { problemDetails } from "../model/problems/problem-text.ts";
import { findDeniedPermissions } from "../planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../planning/permissions/permission.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { liveInventory } from "../releases/inventory.ts";
import { readReleases } from "../releases/store.ts";
import { type ReconcileOutcome, reconcile } from "./reconcile.ts";

export interface ContinuousOptions {
  /** The context of the kubeconfig. */
  readonly context: string | undefined;
  /** The namespaces of the releases; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The only deployment to correct; undefined for all. */
  readonly deployment: string | undefined;
  readonly group: { readonly namespace: string; readonly name: string };
  /** The name of this replica, which must be unique. */
  readonly identity: string;
  /** The duration of the Leases in milliseconds. */
  readonly leaseMs: number;
  /** The time between checks in milliseconds. */
  readonly resyncMs: number;
  readonly workers: number;
  readonly correction: DeployRequest;
  onEvent(event: ControllerEvent): void;
}

/**
 * Corrects drift as soon as it occurs, until the world's signal aborts
 * (docs/reference/reconcile.md).
 */
export async function reconcileContinuously(
  world: World,
  options: ContinuousOptions,
): Promise<ReconcileController> {
  const target = await world.target(recordedDeployment({ name: "", namespace: "" }, options));
  const own = createControllerWorld(world, target);
  const { deployment, group, identity, leaseMs, resyncMs, workers, onEvent } = options;
  const namespaces = options.namespaces ?? (await allowedNamespaces(target, onEvent));
  return startController({
    cluster: target.cluster,
    clock: world.clock,
    random: Math.random,
    hash: world.hash,
    signal: world.signal,
    namespaces,
    isChosen: ({ name }) => deployment === undefined || name === deployment,
    group,
    identity,
    leaseMs,
    resyncMs,
    concurrency: workers,
    readInventory: (id) => readInventory(own, target, recordedDeployment(id, options)),
    reconcileOne: (id) => reconcileOne(own, recordedDeployment(id, options), options.correction),
    onEvent,
  });
}

/**
 * Returns the namespaces that the controller is allowed to watch; undefined if it can watch all.
 */
async function allowedNamespaces(
  { cluster }: TargetCluster,
  onEvent: ContinuousOptions["onEvent"],
): Promise<readonly string[] | undefined> {
  const found = await watchableNamespaces(cluster);
  if (found !== undefined) onEvent({ type: "namespaces", ...found });
  return found?.watched;
}

/**
 * Returns a world with one connection for all deployments and no repository. The checked-out files
 * must not affect the corrections.
 */
function createControllerWorld(world: World, target: TargetCluster): World {
  return {
    ...world,
    repository: undefined,
    target: () => Promise.resolve(target),
    progress: () => ({ report: () => {} }),
    origin: { commit: undefined, actor: world.origin.actor, run: "qvs reconcile --watch" },
  };
}

function recordedDeployment(
  { name, namespace }: DeploymentId,
  { context }: ContinuousOptions,
): Deployment {
  const nowhere = { config: "", params: [], environment: undefined, dependsOn: [] };
  return { ...nowhere, name, namespace, context };
}

async function readInventory(
  world: World,
  { cluster }: TargetCluster,
  deployment: Deployment,
): Promise<readonly InventoryEntry[]> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  return liveInventory(recorded.value);
}

async function reconcileOne(
  world: World,
  deployment: Deployment,
  correction: DeployRequest,
): Promise<CheckOutcome> {
  return controllerOutcome(
    await reconcile(world, deployment, { ...correction, waitForLock: false }),
  );
}

function controllerOutcome(done: ReconcileOutcome): CheckOutcome {
  if (done.type === "clean") return { type: "unchanged" };
  if (done.type === "superseded")
    return { type: "locked", why: `${problemDetails(done.why)}; ${done.why.fix}` };
  const { result, superseded } = done.outcome;
  if (superseded !== undefined)
    return { type: "locked", why: `it was superseded by ${superseded.by}` };
  if (result.stopped === "cancelled") return { type: "stopped" };
  const objects = result.results.filter(isCorrected).map(({ key }) => key);
  if (result.succeeded) return { type: "corrected", objects };
  return failureOutcome(result.failures, objects);
}

function isCorrected({ outcome }: ObjectResult): boolean {
  return !["unchanged", "kept", "failed", "not attempted"].includes(outcome);
}

/**
 * The namespaces in which an identity is allowed to watch releases, if it isn't allowed to in all
 * at once.
 */
interface WatchableNamespaces {
  readonly watched: readonly string[];
  readonly skipped: readonly string[];
}

/**
 * Returns the watchable namespaces; undefined if all can be watched at once. Throws a UserError if
 * there are none.
 */
export async function watchableNamespaces(
  cluster: Cluster,
): Promise<WatchableNamespaces | undefined> {
  const missing = await findDeniedPermissions(cluster, watchPermissions(undefined), concurrency);
  if (missing.length === 0) return undefined;
  const answer = await cluster.listMetadata("v1", "Namespace", undefined);
  if (!answer.ok)
    throw new UserError([notAllowedProblem(missing, ", and it isn't allowed to list namespaces")]);
  const names = answer.value.items.map((each) => textAt(each, "metadata", "name") ?? "");
  const denied = await findDeniedPermissions(cluster, names.flatMap(watchPermissions), concurrency);
  const skipped = [...new Set(denied.flatMap(({ namespace }) => namespace ?? []))];
  const watched = names.filter((name) => !skipped.includes(name));
  if (watched.length === 0)
    throw new UserError([notAllowedProblem(missing, " or in any single namespace")]);
  return { watched, skipped };
}

function watchPermissions(namespace: string | undefined): readonly Permission[] {
  const secrets = { namespace, group: "", resource: "secrets", name: undefined };
  return ["list", "watch"].map((verb) => ({ ...secrets, verb }));
}

function notAllowedProblem(missing: readonly Permission[], addition: string): Problem {
  const verbs = missing.map(({ verb }) => verb).join(" and ");
  return {
    code: "missing-permission",
    where: [],
    what: "qvs can't watch the releases",
    why: `This identity isn't allowed to ${verbs} secrets in all namespaces${addition}`,
    fix: "Name the namespaces with --namespaces",
    otherwise: [
      "allow list and watch on secrets in all namespaces: qvs reconcile --print-install prints the roles",
    ],
  };
}

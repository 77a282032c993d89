import { definesKind, namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import {
  noUpstreamDeployments,
  type UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import type { LiveObjects } from "../model/deployments/release.ts";
import { type KubeObject, keyMatchesKind } from "../model/object.ts";
import { selectReferences } from "../model/plan/apply-time-reference.ts";
import { fieldManager, type PlanPolicy } from "../model/plan/plan.ts";
import { fieldOwners } from "../ssa/managed-fields.ts";
import { isProvenUnchanged } from "./changes/compare-with-live.ts";
import { isValidNewService, isValidPlainData, secretType } from "./changes/plain-data.ts";
import type { DeclaredObject, DesiredObject } from "./declared/objects.ts";
import type { Desired } from "./plan-input.ts";
import { allDependencies, isExisting } from "./upstream-deployments.ts";

/** Objects with their dependencies. */
type DependencyLinks = Pick<Desired, "objects" | "byKey" | "edges" | "upstreamEdges">;

/**
 * Returns the key of an object whose value is known only after the deployment changes it.
 * Until then, qvs can't ask the API server. In a preview, every Secret is such an object.
 */
export function pendingValue(
  { applyTimeReferences }: Pick<DesiredObject, "applyTimeReferences">,
  purpose: "preview" | "deploy" = "deploy",
): string | undefined {
  const pieces =
    purpose === "preview"
      ? applyTimeReferences.flatMap((text) => selectReferences(text.pieces))
      : [];
  const secret = pieces.find((reference) => reference.secret)?.on;
  return applyTimeReferences.find(({ awaits }) => awaits !== undefined)?.awaits ?? secret;
}

/**
 * Returns the object's own Namespace or CRD if this deployment or an upstream one creates it first.
 * Without it, the API server can't check the object. Other Namespaces and CRDs don't matter: an
 * admission policy, for example, waits for all objects of its stage.
 */
export function pendingPrerequisite(
  { key, id }: Pick<DeclaredObject, "key" | "id">,
  desired: DependencyLinks,
  live: LiveObjects,
  upstream = noUpstreamDeployments,
): string | undefined {
  const findCrd = (on: string) =>
    desired.byKey.get(on)?.object ?? upstream.changes.get(on)?.desired;
  return allDependencies(key, desired)
    .map((edge) => edge.on)
    .filter((on) => !isExisting(on, live, upstream))
    .find((on) => {
      if (!keyMatchesKind(on, crdKind)) return on === namespaceKey(id.namespace);
      const object = findCrd(on);
      return object !== undefined && definesKind(object, id);
    });
}

const crdKind = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };

/**
 * Returns the keys of objects that a deployment applies without a dry run.
 * They are valid plain data that is new or that no other manager owns a field of, so there can't be
 * a conflict. New Services without special settings are also included.
 * One object of each kind, namespace and action still gets a dry run. It shows problems that
 * concern all of them, such as a missing permission, namespace or quota.
 * `objects` are sorted by key.
 */
export function skippableDryRuns(
  deployment: string,
  objects: readonly DeclaredObject[],
  live: LiveObjects,
): ReadonlySet<string> {
  const tested = new Set<string>();
  const skippable = new Set<string>();
  for (const desired of objects) {
    const existing = live.get(desired.key);
    if (!isSimple(desired.object, existing) || !hasNoOtherOwner(deployment, desired, existing))
      continue;
    const series = `${desired.id.kind} ${desired.id.namespace} ${existing === undefined}`;
    if (tested.has(series)) skippable.add(desired.key);
    tested.add(series);
  }
  return skippable;
}

/**
 * Reports whether an object is simple and certainly valid.
 * An existing Service never is: the API server added fields to it and forbids many changes of them.
 */
function isSimple(object: KubeObject, live: KubeObject | undefined): boolean {
  return isValidPlainData(object) || (live === undefined && isValidNewService(object));
}

/**
 * Reports whether no other manager owns a field, and nothing in the live object forbids the change.
 */
function hasNoOtherOwner(
  deployment: string,
  { object, stage }: DeclaredObject,
  live: KubeObject | undefined,
): boolean {
  if (live === undefined) return true;
  if (live.immutable === true || live.metadata.deletionTimestamp !== undefined) return false;
  if (secretType(object) !== secretType(live)) return false;
  const manager = fieldManager(deployment, stage);
  const owners = fieldOwners(live);
  return (
    owners.length > 0 &&
    owners.every((owner) => owner.manager === manager && owner.operation === "Apply")
  );
}

/**
 * Lists the objects that need a dry run.
 * These are all objects except those that are provably unchanged or can't have a dry run yet. A
 * preview asks about "all" of them. A deployment asks about the "needed" ones, without those that
 * can skip it, because applying asks the API server again.
 */
export function objectsToDryRun(
  deployment: string,
  desired: DependencyLinks,
  live: LiveObjects,
  { dryRuns = "all", purpose = "deploy", policy, upstream }: DryRunSelection = {},
): readonly DesiredObject[] {
  const { objects } = desired;
  const candidates = objects.filter((object) => {
    if (pendingValue(object, purpose) !== undefined) return false;
    // The API server would answer for the object that still exists.
    if (upstream?.deleted.has(object.key) === true) return false;
    const existing = live.get(object.key);
    const isWithheld = purpose === "preview" || existing === undefined;
    if (isWithheld && object.dryRunSkipped !== undefined) return false;
    const takeover = policy?.conflicts.takeover;
    if (existing !== undefined) return !isProvenUnchanged(deployment, object, existing, takeover);
    return pendingPrerequisite(object, desired, live, upstream) === undefined;
  });
  const skipped = dryRuns === "all" ? noKeys : skippableDryRuns(deployment, candidates, live);
  return candidates.filter((object) => !skipped.has(object.key));
}

/**
 * Lists the objects of namespaces that this deployment creates.
 * qvs tries them in another namespace, where the API server checks them in the same way. It sends
 * Secrets only to their own namespace.
 */
export function objectsForTrialNamespace(
  desired: DependencyLinks,
  live: LiveObjects,
  {
    purpose,
    upstream = noUpstreamDeployments,
  }: Pick<DryRunSelection, "upstream"> & Required<Pick<DryRunSelection, "purpose">>,
): readonly DesiredObject[] {
  return desired.objects.filter(
    (object) =>
      object.id.namespace !== "" &&
      object.id.kind !== "Secret" &&
      object.dryRunSkipped === undefined &&
      pendingValue(object, purpose) === undefined &&
      isNamespaceKey(pendingPrerequisite(object, desired, live, upstream)),
  );
}

/**
 * Returns the namespace for these tries.
 * It is the namespace of the releases, or `default` if that doesn't exist yet.
 */
export function trialNamespace(
  { objects }: { readonly objects: readonly Pick<DesiredObject, "key">[] },
  live: LiveObjects,
  {
    namespace,
    upstream = noUpstreamDeployments,
  }: Pick<DryRunSelection, "upstream"> & { readonly namespace: string },
): string {
  const key = namespaceKey(namespace);
  const isCreated = objects.some((object) => object.key === key) || upstream.changes.has(key);
  return isCreated && !isExisting(key, live, upstream) ? "default" : namespace;
}

export interface DryRunSelection {
  readonly dryRuns?: "all" | "needed";
  /** A preview asks about nothing that depends on live values of Secrets. */
  readonly purpose?: "preview" | "deploy";
  /** Objects need a dry run if the user wants to take their fields from other managers. */
  readonly policy?: Pick<PlanPolicy, "conflicts">;
  readonly upstream?: UpstreamDeployments | undefined;
}

const noKeys: ReadonlySet<string> = new Set();

function isNamespaceKey(key: string | undefined): boolean {
  return key !== undefined && keyMatchesKind(key, { group: "", kind: "Namespace" });
}

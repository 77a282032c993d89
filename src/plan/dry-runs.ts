import { namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { keyMatchesKind } from "../model/object.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import { noUpstreamDeployments, type UpstreamDeployments } from "../model/upstream-deployments.ts";
import { isProvenUnchanged } from "./changes/no-change.ts";
import { skippableDryRuns } from "./changes/skippable-dry-runs.ts";
import type { DesiredObject } from "./declared/objects.ts";
import {
  type DependencyLinks,
  pendingPrerequisite,
  pendingValue,
} from "./pending-prerequisites.ts";
import { isExisting } from "./upstream-deployments.ts";

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

import { namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { keyMatchesKind } from "../model/object.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import { noUpstreamDeployments, type UpstreamDeployments } from "../model/upstream-deployments.ts";
import { awaitedFoundation, awaitedValue, type Waiting } from "./awaited.ts";
import { keysThatSkipDryRun } from "./changes/can-skip-dry-run.ts";
import { isProvenUnchanged } from "./changes/no-change.ts";
import type { DesiredObject } from "./declared/objects.ts";
import { isThere } from "./earlier.ts";

/**
 * Lists the objects that need a dry run.
 * These are all objects except those that are provably unchanged or can't have a dry run yet. A
 * preview asks about "all" of them. A deployment asks about the "needed" ones, without those that
 * can skip it, because applying asks the API server again.
 */
export function objectsToDryRun(
  deployment: string,
  desired: Waiting,
  live: LiveObjects,
  { dryRuns = "all", purpose = "deploy", policy, earlier }: Asking = {},
): readonly DesiredObject[] {
  const { objects } = desired;
  const asked = objects.filter((object) => {
    if (awaitedValue(object, purpose) !== undefined) return false;
    // The API server would answer for the object that still exists.
    if (earlier?.deleted.has(object.key) === true) return false;
    const existing = live.get(object.key);
    const isWithheld = purpose === "preview" || existing === undefined;
    if (isWithheld && object.dryRunSkipped !== undefined) return false;
    const takeover = policy?.conflicts.takeover;
    if (existing !== undefined) return !isProvenUnchanged(deployment, object, existing, takeover);
    return awaitedFoundation(object, desired, live, earlier) === undefined;
  });
  const skipped = dryRuns === "all" ? noKeys : keysThatSkipDryRun(deployment, asked, live);
  return asked.filter((object) => !skipped.has(object.key));
}

/**
 * Lists the objects of namespaces that this deployment creates.
 * qvs tries them in another namespace, where the API server checks them in the same way. It sends
 * Secrets only to their own namespace.
 */
export function objectsToTryElsewhere(
  desired: Waiting,
  live: LiveObjects,
  {
    purpose,
    earlier = noUpstreamDeployments,
  }: Pick<Asking, "earlier"> & Required<Pick<Asking, "purpose">>,
): readonly DesiredObject[] {
  return desired.objects.filter(
    (object) =>
      object.id.namespace !== "" &&
      object.id.kind !== "Secret" &&
      object.dryRunSkipped === undefined &&
      awaitedValue(object, purpose) === undefined &&
      isNamespaceKey(awaitedFoundation(object, desired, live, earlier)),
  );
}

/**
 * Returns the namespace for these tries.
 * It is the namespace of the releases, or `default` if that doesn't exist yet.
 */
export function placeToTry(
  { objects }: { readonly objects: readonly Pick<DesiredObject, "key">[] },
  live: LiveObjects,
  {
    namespace,
    earlier = noUpstreamDeployments,
  }: Pick<Asking, "earlier"> & { readonly namespace: string },
): string {
  const key = namespaceKey(namespace);
  const isMade = objects.some((object) => object.key === key) || earlier.changes.has(key);
  return isMade && !isThere(key, live, earlier) ? "default" : namespace;
}

export interface Asking {
  readonly dryRuns?: "all" | "needed";
  /** A preview asks about nothing that depends on live values of Secrets. */
  readonly purpose?: "preview" | "deploy";
  /** Objects need a dry run if the user wants to take their fields from other managers. */
  readonly policy?: Pick<PlanPolicy, "conflicts">;
  readonly earlier?: UpstreamDeployments | undefined;
}

const noKeys: ReadonlySet<string> = new Set();

function isNamespaceKey(key: string | undefined): boolean {
  return key !== undefined && keyMatchesKind(key, { group: "", kind: "Namespace" });
}

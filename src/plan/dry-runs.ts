import { namespaceKey } from "../model/cluster/holder.ts";
import { type Earlier, nothingEarlier } from "../model/earlier.ts";
import { isKeyOf } from "../model/object.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import { awaitedFoundation, awaitedValue, type Waiting } from "./awaited.ts";
import { keysThatSkipDryRun } from "./changes/can-skip-dry-run.ts";
import { isProvenUnchanged } from "./changes/no-change.ts";
import type { DesiredObject } from "./declared/objects.ts";
import { isThere } from "./earlier.ts";

/**
 * The objects that only a dry-run can tell about: all but those provably unchanged and those it can't work for yet. A preview asks about
 * "all" of them; a deployment about those "needed", without those that can skip it, since it asks again by applying.
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
    // The server would answer for what is still there.
    if (earlier?.deleted.has(object.key) === true) return false;
    const existing = live.get(object.key);
    const isWithheld = purpose === "preview" || existing === undefined;
    if (isWithheld && object.unasked !== undefined) return false;
    const takeover = policy?.conflicts.takeover;
    if (existing !== undefined) return !isProvenUnchanged(deployment, object, existing, takeover);
    return awaitedFoundation(object, desired, live, earlier) === undefined;
  });
  const skipped = dryRuns === "all" ? noKeys : keysThatSkipDryRun(deployment, asked, live);
  return asked.filter((object) => !skipped.has(object.key));
}

/**
 * The objects of namespaces that this deployment creates: to be tried in another one, where the server checks them in the same way.
 * Secrets are sent nowhere but to their own namespace.
 */
export function objectsToTryElsewhere(
  desired: Waiting,
  live: LiveObjects,
  {
    purpose,
    earlier = nothingEarlier,
  }: Pick<Asking, "earlier"> & Required<Pick<Asking, "purpose">>,
): readonly DesiredObject[] {
  return desired.objects.filter(
    (object) =>
      object.id.namespace !== "" &&
      object.id.kind !== "Secret" &&
      object.unasked === undefined &&
      awaitedValue(object, purpose) === undefined &&
      isNamespaceKey(awaitedFoundation(object, desired, live, earlier)),
  );
}

/** Where they are tried: in the namespace of the releases, or where that is yet to come, in the one that each cluster has. */
export function placeToTry(
  { objects }: { readonly objects: readonly Pick<DesiredObject, "key">[] },
  live: LiveObjects,
  { namespace, earlier = nothingEarlier }: Pick<Asking, "earlier"> & { readonly namespace: string },
): string {
  const key = namespaceKey(namespace);
  const isMade = objects.some((object) => object.key === key) || earlier.changes.has(key);
  return isMade && !isThere(key, live, earlier) ? "default" : namespace;
}

export interface Asking {
  readonly dryRuns?: "all" | "needed";
  /** A preview asks about nothing that has to do with values of Secrets that are live. */
  readonly purpose?: "preview" | "deploy";
  /** Objects that others hold something of which the user wants to take are asked about. */
  readonly policy?: Pick<PlanPolicy, "conflicts">;
  readonly earlier?: Earlier | undefined;
}

const noKeys: ReadonlySet<string> = new Set();

function isNamespaceKey(key: string | undefined): boolean {
  return key !== undefined && isKeyOf(key, { group: "", kind: "Namespace" });
}

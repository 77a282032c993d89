import type { KubeObject } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import { versionsToRenew } from "../../model/renewal.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { DryRunFailure, Predictions } from "../prediction.ts";

export interface OutdatedOwners {
  readonly desired: DesiredObject;
  readonly live: KubeObject;
  /** The versions that are given up. */
  readonly versions: readonly string[];
}

/**
 * The objects that the server can't merge because owners of their fields are recorded in a version of the API that lacks a
 * field (deploy.md §2): rewritten to the version that is declared, they are merged like any others.
 */
export function outdatedOwners(
  objects: readonly DesiredObject[],
  live: LiveObjects,
  predictions: Predictions,
): readonly OutdatedOwners[] {
  return objects.flatMap((desired) => {
    const prediction = predictions.get(desired.key);
    const existing = live.get(desired.key);
    if (existing === undefined || prediction === undefined || prediction.ok) return [];
    const versions = versionsToRenew(existing, desired.object.apiVersion);
    return isAboutConversion(prediction.failure) && versions.length > 0
      ? [{ desired, live: existing, versions }]
      : [];
  });
}

/** A field that the declared version itself lacks is told as "failed to create typed patch object". */
function isAboutConversion({ message }: DryRunFailure): boolean {
  return /\bfailed to convert .*: field not declared in schema/s.test(message);
}

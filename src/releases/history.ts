import { keepOnDeleteAnnotation, revisionAnnotation } from "../model/annotations.ts";
import { annotation, idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import {
  type HighestRevision,
  type History,
  type ObjectResult,
  possiblyLiveReleases,
  type Release,
} from "../model/release.ts";
import { lastSent } from "./last-sent.ts";
import { findSecretPlaces } from "./secret-places.ts";

/** Returns the facts about objects that the records contain in addition to the inventory. */
export function objectHistory(releases: readonly Release[]): History {
  const lastDeclared = new Map<string, number>();
  for (const { revision, expandedConfig } of releases.toSorted((a, b) => a.revision - b.revision)) {
    // Recorded manifests are normalized, so their IDs equal those of the live objects.
    for (const { object } of expandedConfig) {
      if (isKubeObject(object)) lastDeclared.set(keyOf(idOf(object)), revision);
    }
  }
  return {
    revisions: highestRevisions(releases.flatMap(({ revisions = [] }) => revisions)),
    lastDeclared,
    sent: lastSent(releases),
    newest: Math.max(0, ...releases.map(({ revision }) => revision)),
    secretPlaces: findSecretPlaces(releases),
    newestSecretPlaces: findSecretPlaces(possiblyLiveReleases(releases)),
  };
}

/**
 * Returns the revision numbers that are used after a run, even an incomplete one.
 * Numbers of objects that weren't attempted stay free. If a failed deployment is repeated, it gives
 * them the same numbers.
 */
export function usedRevisions(
  plan: Plan,
  results: readonly ObjectResult[],
): readonly HighestRevision[] {
  const untouched = new Set(
    results.filter(({ outcome }) => outcome === "not attempted").map(({ key }) => key),
  );
  const given = plan.changes
    .filter((change) => !untouched.has(change.key))
    .flatMap(({ id, desired }) => {
      const key = annotation(desired, keepOnDeleteAnnotation);
      const revision = Number(annotation(desired, revisionAnnotation) ?? 0);
      const { group, kind, namespace } = id;
      return key === undefined ? [] : [{ group, kind, namespace, key, revision }];
    });
  return highestRevisions([...(plan.revisions ?? []), ...given]);
}

/**
 * Returns the highest revision of each kind, namespace and key, sorted.
 * It ignores revisions that aren't numbers, for example after a manual change.
 */
function highestRevisions(all: readonly HighestRevision[]): readonly HighestRevision[] {
  const highest = new Map<string, HighestRevision>();
  for (const one of all.filter(({ revision }) => Number.isSafeInteger(revision))) {
    const series = JSON.stringify([one.group, one.kind, one.namespace, one.key]);
    if ((highest.get(series)?.revision ?? -1) < one.revision) highest.set(series, one);
  }
  return [...highest.keys()].toSorted().flatMap((series) => highest.get(series) ?? []);
}

import { keepOnDeleteAnnotation, revisionAnnotation } from "../model/annotations.ts";
import { annotation, idOf, isKubeObject, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import {
  type HighestRevision,
  type History,
  mayBeLive,
  type ObjectResult,
  type Release,
} from "../model/release.ts";
import { lastSent } from "./last-sent.ts";
import { secretPlacesIn } from "./secret-places.ts";

/** What the records of a deployment tell about its objects, besides the inventory. */
export function historyOf(releases: readonly Release[]): History {
  const lastDeclared = new Map<string, number>();
  for (const { revision, expandedConfig } of releases.toSorted((a, b) => a.revision - b.revision)) {
    // The recorded manifests are normalised, so their ids are those of the live objects.
    for (const { object } of expandedConfig) {
      if (isKubeObject(object)) lastDeclared.set(keyOf(idOf(object)), revision);
    }
  }
  return {
    revisions: highestOf(releases.flatMap(({ revisions = [] }) => revisions)),
    lastDeclared,
    sent: lastSent(releases),
    newest: Math.max(0, ...releases.map(({ revision }) => revision)),
    secretPlaces: secretPlacesIn(releases),
    newestSecretPlaces: secretPlacesIn(mayBeLive(releases)),
  };
}

/**
 * The numbers that are taken once a plan was carried out, as far as it came: those of objects that nobody tried to make
 * are still free, so that a deployment that failed before them gives the same ones when it is repeated.
 */
export function revisionsAfter(
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
  return highestOf([...(plan.revisions ?? []), ...given]);
}

/** One per kind, namespace and key, sorted. What is no number, as somebody may have written by hand, counts as none. */
function highestOf(all: readonly HighestRevision[]): readonly HighestRevision[] {
  const highest = new Map<string, HighestRevision>();
  for (const one of all.filter(({ revision }) => Number.isSafeInteger(revision))) {
    const series = JSON.stringify([one.group, one.kind, one.namespace, one.key]);
    if ((highest.get(series)?.revision ?? -1) < one.revision) highest.set(series, one);
  }
  return [...highest.keys()].toSorted().flatMap((series) => highest.get(series) ?? []);
}

import { keepOnDeleteAnnotation, revisionAnnotation } from "../model/annotations.ts";
import { isJob } from "../model/cluster/jobs.ts";
import {
  appliedOutcomes,
  type HighestRevision,
  type History,
  type ObjectResult,
  type RecordedPath,
  type Release,
  type ReleasedManifest,
} from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { isList, isObject, type Json, textAt } from "../model/json.ts";
import { annotation, idOf, isKubeObject, type KubeObject, keyOf } from "../model/object.ts";
import type { Plan } from "../model/plan/plan.ts";
import { referencePieces, resolveReference } from "../model/text/reference-text.ts";
import { isSensitiveKind } from "../redaction/sensitive-object.ts";

/**
 * Returns each object as qvs last sent it, by key.
 * If a release failed at an object, qvs can't know whether it sent the object, so the object is
 * left out. An object that wasn't attempted is as an older release left it.
 */
function lastSent(newestFirst: readonly Release[]): ReadonlyMap<string, KubeObject> {
  const sent = new Map<string, KubeObject | undefined>();
  for (const release of newestFirst) {
    const outcomes = new Map(release.results.map(({ key, outcome }) => [key, outcome]));
    for (const { object } of release.expandedConfig) {
      if (!isKubeObject(object)) continue;
      const key = keyOf(idOf(object));
      const outcome = outcomes.get(key);
      if (sent.has(key) || outcome === "not attempted") continue;
      sent.set(key, outcome !== undefined && appliedOutcomes.has(outcome) ? object : undefined);
    }
  }
  return withoutUndefined(sent);
}

/**
 * Returns the manifest of each Job with which it completed last.
 * A release waits for its Jobs. A result with a detail of a release that failed doesn't show
 * whether the Job completed. A Job without a result wasn't part of the run.
 */
function lastCompletedJobs(newestFirst: readonly Release[]): ReadonlyMap<string, KubeObject> {
  const completed = new Map<string, KubeObject | undefined>();
  for (const { status, results, expandedConfig } of newestFirst) {
    const byKey = new Map(results.map((result) => [result.key, result]));
    for (const { object } of expandedConfig) {
      if (!isKubeObject(object) || !isJob(idOf(object))) continue;
      const key = keyOf(idOf(object));
      const result = byKey.get(key);
      const isUntouched = results.length > 0 && isLeftAlone(result);
      if (completed.has(key) || isUntouched) continue;
      const isConfirmed = status === "succeeded" || result?.detail === "";
      completed.set(key, isConfirmed && isApplied(result) ? object : undefined);
    }
  }
  return withoutUndefined(completed);
}

/** Reports whether a finished run left the object as an older release did. */
function isLeftAlone(result: ObjectResult | undefined): boolean {
  if (result === undefined || result.outcome === "not attempted") return true;
  return result.outcome === "unchanged" && result.detail !== "";
}

function isApplied(result: ObjectResult | undefined): boolean {
  return result !== undefined && appliedOutcomes.has(result.outcome);
}

function withoutUndefined<K, V>(map: ReadonlyMap<K, V | undefined>): ReadonlyMap<K, V> {
  return new Map(
    [...map].flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

/**
 * Returns the places where releases put Secret values into other objects, by object key.
 * Such a value stays live until the object is applied again, even if no manifest refers to a Secret
 * anymore.
 */
function findSecretPlaces(
  releases: readonly Release[],
): ReadonlyMap<string, readonly RecordedPath[]> {
  const found = new Map<string, readonly RecordedPath[]>();
  for (const { expandedConfig } of releases) {
    const kinds = new Map(
      expandedConfig.map(({ resource, object }) => [resource, textAt(object, "kind") ?? ""]),
    );
    for (const manifest of expandedConfig) {
      const { object } = manifest;
      const places = manifestSecretPlaces(manifest, kinds);
      if (places.length === 0 || !isKubeObject(object)) continue;
      const key = keyOf(idOf(object));
      found.set(key, [...(found.get(key) ?? []), ...places]);
    }
  }
  return found;
}

function manifestSecretPlaces(
  { references, object }: ReleasedManifest,
  kinds: ReadonlyMap<string, string>,
): readonly RecordedPath[] {
  if (references !== true) return [];
  return stringPlaces(object, []).flatMap(({ place, text }) =>
    refersToSecret(text, kinds) ? [place] : [],
  );
}

/**
 * Reports whether a string refers to a Secret.
 * A record names resources with all their groups. A resource that it doesn't contain might be a
 * Secret.
 */
function refersToSecret(text: string, kinds: ReadonlyMap<string, string>): boolean {
  return referencePieces(text, false).some((piece) => {
    if (piece.type === "text") return false;
    const id = resolveReference(piece.inner, "", kinds.keys())?.id;
    return id === undefined || isSensitiveKind(kinds.get(id) ?? "Secret");
  });
}

function stringPlaces(
  value: Json,
  place: RecordedPath,
): readonly { readonly place: RecordedPath; readonly text: string }[] {
  if (typeof value === "string") return [{ place, text: value }];
  if (isList(value)) {
    return value.flatMap((item, index) =>
      stringPlaces(item, [...place, { index, name: textAt(item, "name") }]),
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => stringPlaces(inner, [...place, name]));
}

/** Returns the facts about objects that the records contain in addition to the inventory. */
export function objectHistory({ releases, newest, possiblyLive }: ReleaseHistory): History {
  const lastDeclared = new Map<string, number>();
  for (const { revision, expandedConfig } of releases.toReversed()) {
    // Recorded manifests are normalized, so their IDs equal those of the live objects.
    for (const { object } of expandedConfig) {
      if (isKubeObject(object)) lastDeclared.set(keyOf(idOf(object)), revision);
    }
  }
  return {
    revisions: highestRevisions(releases.flatMap(({ revisions = [] }) => revisions)),
    lastDeclared,
    sent: lastSent(releases),
    completedJobs: lastCompletedJobs(releases),
    newest: newest?.revision ?? 0,
    secretPlaces: findSecretPlaces(releases),
    newestSecretPlaces: findSecretPlaces(possiblyLive),
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

import { idOf, isKubeObject, type KubeObject, keyOf } from "../model/object.ts";
import { appliedOutcomes, type Release, sortNewestFirst } from "../model/release.ts";

/**
 * Returns each object as qvs last sent it, by key.
 * If a release failed at an object, qvs can't know whether it sent the object, so the object is
 * left out. An object that wasn't attempted is as an older release left it.
 */
export function lastSent(releases: readonly Release[]): ReadonlyMap<string, KubeObject> {
  const sent = new Map<string, KubeObject | undefined>();
  for (const release of sortNewestFirst(releases)) {
    const outcomes = new Map(release.results.map(({ key, outcome }) => [key, outcome]));
    for (const { object } of release.expandedConfig) {
      if (!isKubeObject(object)) continue;
      const key = keyOf(idOf(object));
      const outcome = outcomes.get(key);
      if (sent.has(key) || outcome === "not attempted") continue;
      sent.set(key, outcome !== undefined && appliedOutcomes.has(outcome) ? object : undefined);
    }
  }
  const known = [...sent].flatMap(([key, object]) =>
    object === undefined ? [] : [[key, object] as const],
  );
  return new Map(known);
}

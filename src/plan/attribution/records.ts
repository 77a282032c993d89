import { isObject } from "../../model/json.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../model/object.ts";
import {
  appliedOutcomes,
  possiblyLiveReleases,
  type Release,
  type ReleasedManifest,
  sortNewestFirst,
} from "../../model/release.ts";
import { toBase64 } from "../../model/text/base64.ts";

/** The record of one object in a release. */
export interface RecordedObject {
  /** The revision of the release. */
  readonly revision: number;
  readonly manifest: ReleasedManifest;
  readonly object: KubeObject;
  /** True if the release deployed the object and no later release deleted it. */
  readonly isDeployed: boolean;
}

/** The declarations of this deployment so far, from its releases. */
export interface Records {
  /** The revision of the last release that succeeded. */
  readonly release: number | undefined;
  /** The commit that this release deployed. */
  readonly commit: string | undefined;
  /**
   * The records that might have written the live object, newest first.
   * They are from the last release that succeeded and all later ones.
   */
  readonly mayBeLive: ReadonlyMap<string, readonly RecordedObject[]>;
  /** The last declaration of each key in any release. */
  readonly last: ReadonlyMap<string, RecordedObject>;
}

export function recordsOf(releases: readonly Release[]): Records {
  const newestFirst = sortNewestFirst(releases);
  const worked = newestFirst.find(({ status }) => status === "succeeded");
  const deleted = lastDeletions(releases);
  const objectsOf = (release: Release) => recordedIn(release, deleted);
  const last = newestFirst.toReversed().flatMap(objectsOf);
  return {
    release: worked?.revision,
    commit: worked?.source.commit,
    mayBeLive: Map.groupBy(possiblyLiveReleases(releases).flatMap(objectsOf), ({ object }) =>
      keyOf(idOf(object)),
    ),
    last: new Map(last.map((each) => [keyOf(idOf(each.object)), each])),
  };
}

/** Returns the newest release that deleted an object, by the object's key. */
function lastDeletions(releases: readonly Release[]): ReadonlyMap<string, number> {
  const oldestFirst = releases.toSorted((a, b) => a.revision - b.revision);
  const deletions = oldestFirst.flatMap(({ revision, results }) =>
    results.flatMap(({ key, outcome }) =>
      outcome === "deleted" ? [[key, revision] as const] : [],
    ),
  );
  return new Map(deletions);
}

function recordedIn(
  release: Release,
  deleted: ReadonlyMap<string, number>,
): readonly RecordedObject[] {
  const { revision, expandedConfig } = release;
  const brought = broughtAbout(release);
  return expandedConfig.flatMap((manifest) => {
    const { object } = manifest;
    if (!isKubeObject(object)) return [];
    const key = keyOf(idOf(object));
    const isDeployed =
      (brought === "all" || brought.has(key)) && (deleted.get(key) ?? 0) <= revision;
    return [{ revision, manifest, object: asLive(object), isDeployed }];
  });
}

/**
 * Returns the keys of the objects that a release wrote or found as declared.
 * A release that hasn't ended has none.
 */
function broughtAbout({ status, results }: Release): ReadonlySet<string> | "all" {
  if (status === "succeeded") return "all";
  return new Set(
    results.flatMap(({ key, outcome }) => (appliedOutcomes.has(outcome) ? [key] : [])),
  );
}

/** Returns the object as the API server stores it, so that the fields have the same names. */
function asLive(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (object.kind !== "Secret" || !isObject(stringData)) return object;
  const texts = Object.entries(stringData).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, toBase64(text)] as const] : [],
  );
  const data = isObject(rest.data) ? rest.data : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(texts) } } as KubeObject;
}

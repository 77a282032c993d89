import { isObject } from "../../model/json.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../model/object.ts";
import {
  asDeclared,
  fromNewest,
  mayBeLive,
  type Release,
  type ReleasedManifest,
} from "../../model/release.ts";
import { toBase64 } from "../../model/text/base64.ts";

/** What releases tell of one object. */
export interface RecordedObject {
  /** Of the release. */
  readonly revision: number;
  readonly manifest: ReleasedManifest;
  readonly object: KubeObject;
  /** Whether the release has come to it, and no later one has deleted it. */
  readonly isDeployed: boolean;
}

/** What this deployment has declared so far, as its releases tell. */
export interface Records {
  /** Revision of the last release that succeeded. */
  readonly release: number | undefined;
  /** The commit that it has deployed. */
  readonly commit: string | undefined;
  /** Each of these may have written what is live now: the last that succeeded, and whatever came after it; the newest first. */
  readonly mayBeLive: ReadonlyMap<string, readonly RecordedObject[]>;
  /** What was declared under a key last, by any release. */
  readonly last: ReadonlyMap<string, RecordedObject>;
}

export function recordsOf(releases: readonly Release[]): Records {
  const newestFirst = fromNewest(releases);
  const worked = newestFirst.find(({ status }) => status === "succeeded");
  const deleted = lastDeletions(releases);
  const objectsOf = (release: Release) => recordedIn(release, deleted);
  const last = newestFirst.toReversed().flatMap(objectsOf);
  return {
    release: worked?.revision,
    commit: worked?.source.commit,
    mayBeLive: Map.groupBy(mayBeLive(releases).flatMap(objectsOf), ({ object }) =>
      keyOf(idOf(object)),
    ),
    last: new Map(last.map((each) => [keyOf(idOf(each.object)), each])),
  };
}

/** The newest release that has deleted an object, by its key. */
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

/** Keys of the objects that a release has written or found as they should be. One that has not ended tells of none. */
function broughtAbout({ status, results }: Release): ReadonlySet<string> | "all" {
  if (status === "succeeded") return "all";
  return new Set(results.flatMap(({ key, outcome }) => (asDeclared.has(outcome) ? [key] : [])));
}

/** As the server keeps it, so that the fields have the same names. */
function asLive(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (object.kind !== "Secret" || !isObject(stringData)) return object;
  const texts = Object.entries(stringData).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, toBase64(text)] as const] : [],
  );
  const data = isObject(rest.data) ? rest.data : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(texts) } } as KubeObject;
}

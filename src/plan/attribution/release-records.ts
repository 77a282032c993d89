import {
  appliedOutcomes,
  type Release,
  type ReleasedManifest,
} from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { isObject } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { idOf, isKubeObject, type KubeObject, keyOf } from "../../model/object.ts";
import type { Succession } from "../../model/plan/attribution.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { toBase64 } from "../../model/text/base64.ts";

/**
 * Finds the objects that succeed others: the same resource of the same adapter and kind, under
 * another name.
 * The result is exact, because releases record the resource of each object.
 */
export function findSuccessions(
  plan: Plan,
  { lastDeclared }: ReleaseRecords,
): ReadonlyMap<string, Succession> {
  const removed = [
    ...plan.deletions.filter(({ prunedRevision }) => prunedRevision === undefined),
    ...plan.kept,
  ];
  const bySlot = new Map<string, Succession>();
  for (const { key, id } of removed) {
    const recorded = lastDeclared.get(key);
    if (recorded === undefined) continue;
    const slot = successionSlot(recorded.manifest, id);
    const { object } = recorded;
    // If there are several, only the object of the newest release is the predecessor.
    if (isNewer(recorded, bySlot.get(slot), lastDeclared))
      bySlot.set(slot, { predecessor: key, before: object });
  }
  return new Map(
    plan.changes.flatMap(({ key, id, stage, resource }) => {
      const found = bySlot.get(successionSlot({ stage, resource }, id));
      return found === undefined || found.predecessor === key ? [] : [[key, found] as const];
    }),
  );
}

function successionSlot(
  { stage, resource }: Pick<RecordedObject["manifest"], "stage" | "resource">,
  { group, kind, namespace }: Plan["deletions"][number]["id"],
): string {
  return JSON.stringify([stage, resource, group, kind, namespace]);
}

function isNewer(
  one: RecordedObject,
  other: Succession | undefined,
  last: ReleaseRecords["lastDeclared"],
): boolean {
  return other === undefined || one.revision > (last.get(other.predecessor)?.revision ?? 0);
}

/** The record of one object in a release. */
interface RecordedObject {
  /** The revision of the release. */
  readonly revision: number;
  readonly manifest: ReleasedManifest;
  readonly object: KubeObject;
  /** True if the release deployed the object and no later release deleted it. */
  readonly isDeployed: boolean;
}

/** The declarations of this deployment so far, from its releases. */
export interface ReleaseRecords {
  /** The revision of the last release that succeeded. */
  readonly release: number | undefined;
  /** The commit that this release deployed. */
  readonly commit: string | undefined;
  /**
   * The records that might have written the live object, newest first.
   * They are from the last release that succeeded and all later ones.
   */
  readonly possiblyLive: ReadonlyMap<string, readonly RecordedObject[]>;
  /** The last declaration of each key in any release. */
  readonly lastDeclared: ReadonlyMap<string, RecordedObject>;
}

export function collectRecords({
  releases,
  current,
  possiblyLive,
}: ReleaseHistory): ReleaseRecords {
  const oldestFirst = releases.toReversed();
  const deleted = lastDeletions(oldestFirst);
  const recordedObjects = (release: Release) => releaseObjects(release, deleted);
  const last = oldestFirst.flatMap(recordedObjects);
  return {
    release: current?.revision,
    commit: current?.source.commit,
    possiblyLive: Map.groupBy(possiblyLive.flatMap(recordedObjects), ({ object }) =>
      keyOf(idOf(object)),
    ),
    lastDeclared: new Map(last.map((each) => [keyOf(idOf(each.object)), each])),
  };
}

/** Returns the newest release that deleted an object, by the object's key. */
function lastDeletions(oldestFirst: readonly Release[]): ReadonlyMap<string, number> {
  const deletions = oldestFirst.flatMap(({ revision, results }) =>
    results.flatMap(({ key, outcome }) =>
      outcome === "deleted" ? [[key, revision] as const] : [],
    ),
  );
  return new Map(deletions);
}

function releaseObjects(
  release: Release,
  deleted: ReadonlyMap<string, number>,
): readonly RecordedObject[] {
  const { revision, expandedConfig } = release;
  const brought = deployedKeys(release);
  return expandedConfig.flatMap((manifest) => {
    const { object } = manifest;
    if (!isKubeObject(object)) return [];
    const key = keyOf(idOf(object));
    const isDeployed =
      (brought === "all" || brought.has(key)) && (deleted.get(key) ?? 0) <= revision;
    return [{ revision, manifest, object: toStoredForm(object), isDeployed }];
  });
}

/**
 * Returns the keys of the objects that a release wrote or found as declared.
 * A release that hasn't ended has none.
 */
function deployedKeys({ status, results }: Release): ReadonlySet<string> | "all" {
  if (status === "succeeded") return "all";
  return new Set(
    results.flatMap(({ key, outcome }) => (appliedOutcomes.has(outcome) ? [key] : [])),
  );
}

/** Returns the object as the API server stores it, so that the fields have the same names. */
function toStoredForm(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (!isCoreObject(object, "Secret") || !isObject(stringData)) return object;
  const texts = Object.entries(stringData).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, toBase64(text)] as const] : [],
  );
  const data = isObject(rest.data) ? rest.data : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(texts) } } as KubeObject;
}

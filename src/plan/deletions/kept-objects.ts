import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { namesForPods, podReferences, podSpecOf } from "../../model/cluster/pods.ts";
import type { History, InventoryEntry } from "../../model/deployments/release.ts";
import { annotation, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { KeepDetails, PrunedRevision } from "../../model/plan/deletion.ts";
import {
  type DeploymentIdentity,
  foreignProtection,
  liveRevision,
  reapplyProtection,
} from "../../ssa/protection.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { revisionNumber, revisionSeries } from "../declared/revisions.ts";

/**
 * Live Pods and objects with Pod templates, by namespace.
 * A string is the reason why qvs can't read those of a namespace.
 */
export type WorkloadsByNamespace = ReadonlyMap<string, readonly KubeObject[] | string>;

/**
 * A live object of the inventory that isn't declared any more and that its `keepOnDelete` key
 * protects.
 */
export interface KeptCandidate {
  readonly key: string;
  readonly entry: InventoryEntry;
  readonly live: KubeObject;
}

/** Returns the details of a kept object, for the reader and for the decision about its deletion. */
export function keepingDetails(
  { key, entry, live }: KeptCandidate,
  history: History,
  users: WorkloadsByNamespace,
): KeepDetails {
  const declared = history.lastDeclared.get(key);
  const since = declared === undefined || declared >= history.newest ? undefined : declared + 1;
  return {
    key: annotation(live, keepOnDeleteAnnotation) ?? entry.keepOnDelete ?? "",
    revision: liveRevision(live),
    since,
    users: findUsers(live, users.get(entry.id.namespace)),
  };
}

/**
 * Returns the details as text.
 * Example: `key app-config, revision 1, since release 3, used by ReplicaSet shop/web-1`.
 */
export function describeKeeping({ key, revision, since, users }: KeepDetails): string {
  return [
    `key ${key}`,
    `revision ${revision}`,
    ...(since === undefined ? [] : [`since release ${since}`]),
    ...(users === undefined ? [] : [describeUsers(users)]),
  ].join(", ");
}

/**
 * Returns the kept objects that can be deleted, because only the newest `keep` of a key stay.
 * The limit applies to each kind, namespace and key (docs/reference/annotations.md#keepondelete).
 * This deployment must have created the objects with that key, and no live Pod or Pod template must
 * name them. Declared objects count, but are never deleted.
 */
export function prunedRevisions(
  candidates: readonly (KeptCandidate & { readonly keeping: KeepDetails })[],
  desired: readonly Pick<DeclaredObject, "id" | "key" | "object">[],
  owner: DeploymentIdentity,
  keep: number | undefined,
): ReadonlyMap<string, PrunedRevision> {
  if (keep === undefined) return new Map();
  const ours = candidates.filter((candidate) => isOwnKey(candidate, owner));
  const all = [
    ...desired.map(({ id, key, object }) => ({ series: revisionSeries(id, object), key, object })),
    ...ours.map(({ entry, key, live }) => ({
      series: revisionSeries(entry.id, live),
      key,
      object: live,
    })),
  ].filter(({ series }) => series !== undefined);
  const expired = new Set(
    [...Map.groupBy(all, ({ series }) => series).values()].flatMap((series) =>
      series
        .toSorted(
          (a, b) => revisionNumber(b.object) - revisionNumber(a.object) || (a.key < b.key ? 1 : -1),
        )
        .slice(keep)
        .map(({ key }) => key),
    ),
  );
  return new Map(
    ours
      // If no object of the key stays, its users are deleted before it. qvs checks it again right
      // before its deletion.
      .filter(({ key, keeping }) => expired.has(key) && (keep === 0 || keeping.users?.length === 0))
      .map(({ key, keeping }) => [
        key,
        { ...toPrunedRevision(keeping), ...(keep === 0 ? lastMarker : {}) },
      ]),
  );
}

const lastMarker = { isLast: true } as const;

function toPrunedRevision({ key, revision }: KeepDetails): PrunedRevision {
  return { key, revision };
}

/**
 * Reports whether this deployment created the object with its present key.
 * A key that a user added or changed manually is that user's decision.
 */
function isOwnKey({ entry, live }: KeptCandidate, owner: DeploymentIdentity): boolean {
  return (
    annotation(live, keepOnDeleteAnnotation) === entry.keepOnDelete &&
    (foreignProtection(live, owner) ?? reapplyProtection(live)) === undefined
  );
}

/**
 * Lists the Pods and Pod templates that name the object; undefined if they are unknown.
 * Pods also name objects of other namespaces, such as a PriorityClass, in ways that no list covers.
 */
function findUsers(
  live: KubeObject,
  found: readonly KubeObject[] | string | undefined,
): readonly string[] | undefined {
  if (found === undefined || typeof found === "string") return undefined;
  const names = namesForPods(live);
  const users = found.filter((user) => {
    const spec = podSpecOf(user)?.spec;
    const references = spec === undefined ? [] : podReferences(spec);
    return references.some(({ kind, name }) =>
      names.some((named) => named.kind === kind && named.name === name),
    );
  });
  return users.toSorted(comparePodsLast).map((user) => nameOf(idOf(user)));
}

/** Sorts Pods after the objects that create them, which say more to a reader. */
function comparePodsLast(a: KubeObject, b: KubeObject): number {
  return Number(a.kind === "Pod") - Number(b.kind === "Pod");
}

const maxShownUsers = 3;

function describeUsers(users: readonly string[]): string {
  if (users.length === 0) return "used by no Pod or Pod template";
  const more = users.length > maxShownUsers ? ` and ${users.length - maxShownUsers} more` : "";
  return `used by ${users.slice(0, maxShownUsers).join(", ")}${more}`;
}

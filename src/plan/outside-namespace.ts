import { referencesAmong } from "../model/apply-time-reference.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import { listed } from "../model/text/closest.ts";
import { foreignness, isOutside, type Owner } from "../ssa/protection.ts";
import type { DesiredObject } from "./declared/objects.ts";

type Recorded = Pick<DesiredObject, "key" | "id" | "late">;

/** What of a record is refused, and how far the rest may be planned. */
export interface RefusedOfRecord {
  readonly problems: readonly Problem[];
  /** They exist, or would show what does: nothing of them is compared or sent. */
  readonly unplanned: ReadonlySet<string>;
  /** They don't exist, which may be told, but the cluster is asked nothing about them. */
  readonly absent: ReadonlySet<string>;
}

/**
 * What a rollback must not bring by itself: whoever may write Secrets in the namespace of the releases can forge a record, and
 * could have it make what he may not make himself. Beyond that namespace only what lives there with the identity of the deployment
 * is taken from a record, since that identity can't be forged along. To be asked before any dry-run, which would tell of
 * objects of others.
 */
export function refusedOfRecord(
  objects: readonly Recorded[],
  live: LiveObjects,
  owner: Owner,
): RefusedOfRecord {
  const outside = objects.filter(({ id }) => isOutside(id, owner));
  const absent = outside.filter(({ key }) => !live.has(key));
  const foreign = outside.filter(({ key }) => {
    const found = live.get(key);
    return found !== undefined && foreignness(found, owner) !== undefined;
  });
  const copies = copiedFrom(outside, objects);
  return {
    problems: [
      ...problemsOfStrange([...absent, ...foreign], owner),
      ...problemsOfCopied(copies, owner),
    ],
    unplanned: withReaders([...foreign, ...copies], objects),
    absent: new Set(absent.map(({ key }) => key)),
  };
}

/** With what takes values from them, over however many others. */
function withReaders(
  refused: readonly Recorded[],
  objects: readonly Recorded[],
): ReadonlySet<string> {
  const keys = new Set(refused.map(({ key }) => key));
  const readers = objects.filter(
    ({ key, late }) =>
      !keys.has(key) &&
      late.flatMap(({ pieces }) => referencesAmong(pieces)).some(({ on }) => keys.has(on)),
  );
  return readers.length === 0 ? keys : withReaders([...refused, ...readers], objects);
}

function problemsOfStrange(strange: readonly Recorded[], owner: Owner): readonly Problem[] {
  if (strange.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would create or change objects outside of namespace ${owner.namespace} that are not a part of the deployment "${owner.deployment}": ${namesOf(strange)}`,
      fix: fixFor(owner),
      inputs: ["allow-outside-namespace: true"],
      where: [],
    },
  ];
}

/** Where the cluster puts a value into a Secret of ours, such as a token, a record could have it copied to where it can be read. */
function copiedFrom(
  outside: readonly Recorded[],
  objects: readonly Recorded[],
): readonly Recorded[] {
  const keys = new Set(outside.map(({ key }) => key));
  return objects.filter(({ late }) =>
    late
      .flatMap(({ pieces }) => referencesAmong(pieces))
      .some(({ on, secret }) => secret && keys.has(on)),
  );
}

function problemsOfCopied(copies: readonly Recorded[], owner: Owner): readonly Problem[] {
  if (copies.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would copy values of Secrets that are outside of namespace ${owner.namespace} into ${namesOf(copies)}`,
      fix: fixFor(owner),
      inputs: ["allow-outside-namespace: true"],
      where: [],
    },
  ];
}

/**
 * The same for what gives rights or holds for everybody: even as a part of the deployment it is not changed to what a record
 * says. Its objects in other namespaces may become what they were, with the rights that they have.
 */
export function problemsOfRecordedRights(
  changes: readonly Change[],
  owner: Owner,
): readonly Problem[] {
  const changed = changes.filter(
    ({ id, action, live }) =>
      // What would be created is refused before.
      live !== undefined &&
      action !== "unchanged" &&
      isOutside(id, owner) &&
      isRightOrClusterScoped(id),
  );
  if (changed.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would change, outside of namespace ${owner.namespace}, what gives rights or holds for the whole cluster: ${namesOf(changed)}`,
      fix: fixFor(owner),
      inputs: ["allow-outside-namespace: true"],
      where: [],
    },
  ];
}

function isRightOrClusterScoped({ group, namespace }: ObjectId): boolean {
  return namespace === "" || group === "rbac.authorization.k8s.io";
}

function fixFor({ namespace }: Owner): string {
  return `See with qvs rollback --dry-run --allow-outside-namespace what the release holds, since everybody who may write Secrets in namespace ${namespace} can have changed it; if it is right, allow that with --allow-outside-namespace, or deploy the commit that it was made from`;
}

/** More names than these nobody reads. */
const mostNames = 20;

function namesOf(objects: readonly { readonly id: ObjectId }[]): string {
  const names = objects.map(({ id }) =>
    id.namespace === "" ? `${nameOf(id)} (cluster-wide)` : nameOf(id),
  );
  return listed(names.toSorted(), mostNames);
}

import { referencesAmong } from "../model/apply-time-reference.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import { listed } from "../model/text/closest.ts";
import { foreignness, isOutside, type Owner } from "../ssa/protection.ts";
import type { DesiredObject } from "./declared/objects.ts";

/**
 * What a rollback must not bring by itself: whoever may write Secrets in the namespace of the releases can forge a record, and
 * could have it make what he may not make himself. Beyond that namespace only what lives there with the identity of the deployment
 * is taken from a record, since that identity can't be forged along. To be asked before any dry-run, which would tell of
 * objects of others.
 */
export function problemsOfRecorded(
  objects: readonly Pick<DesiredObject, "key" | "id" | "late">[],
  live: LiveObjects,
  owner: Owner,
): readonly Problem[] {
  return [...problemsOfStrange(objects, live, owner), ...problemsOfCopied(objects, owner)];
}

function problemsOfStrange(
  objects: readonly Pick<DesiredObject, "key" | "id">[],
  live: LiveObjects,
  owner: Owner,
): readonly Problem[] {
  const strange = objects.filter(({ key, id }) => {
    const found = live.get(key);
    return isOutside(id, owner) && (found === undefined || foreignness(found, owner) !== undefined);
  });
  if (strange.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would create or change objects outside of namespace ${owner.namespace} that are not a part of the deployment "${owner.deployment}": ${namesOf(strange)}`,
      fix: fixFor(owner),
      where: [],
    },
  ];
}

/** Where the cluster puts a value into a Secret of ours, such as a token, a record could have it copied to where it can be read. */
function problemsOfCopied(
  objects: readonly Pick<DesiredObject, "key" | "id" | "late">[],
  owner: Owner,
): readonly Problem[] {
  const outside = new Set(objects.filter(({ id }) => isOutside(id, owner)).map(({ key }) => key));
  const copies = objects.filter(({ late }) =>
    late
      .flatMap(({ pieces }) => referencesAmong(pieces))
      .some(({ on, secret }) => secret && outside.has(on)),
  );
  if (copies.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would copy values of Secrets that are outside of namespace ${owner.namespace} into ${namesOf(copies)}`,
      fix: fixFor(owner),
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
    ({ id, action }) =>
      action !== "unchanged" && isOutside(id, owner) && isRightOrClusterScoped(id),
  );
  if (changed.length === 0) return [];
  return [
    {
      code: "outside-namespace",
      what: `The release would change, outside of namespace ${owner.namespace}, what gives rights or holds for the whole cluster: ${namesOf(changed)}`,
      fix: fixFor(owner),
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

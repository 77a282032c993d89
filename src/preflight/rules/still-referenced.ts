import { calledServices } from "../../model/cluster/called-services.ts";
import { isPodReferenceKind } from "../../model/cluster/pods.ts";
import {
  addressOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectId,
} from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { asPlanned } from "../planned-pods.ts";
import { findReferrers, isWorkload, predictDeletions } from "../predict-deletions.ts";
import { isEssential, isReferencing } from "../referencing-kinds.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

const maxNames = 3;

/**
 * Reports deleted objects that other objects reference.
 * The references can be in this deployment or outside of it. Those objects stop working after the
 * deletion.
 */
export function stillReferenced(input: PreflightInput): readonly Finding[] {
  const { plan, facts, purpose = "preview" } = input;
  const ownKeys = new Set([...plan.changes, ...plan.deletions].map(({ key }) => key));
  const deletedKeys = new Set(
    predictDeletions(plan, facts, purpose).deletions.map(({ key }) => key),
  );
  const isDeleted = ({ key }: Deletion) => deletedKeys.has(key);
  return plan.deletions.flatMap((deletion): readonly Finding[] => {
    const products = deletion.products?.objects ?? [];
    return [
      ...outsideReferrers(deletion.id, deletion, facts, ownKeys),
      ...(isDeleted(deletion) ? ownReferrers(deletion, input) : []),
      ...products.flatMap((product) => [
        ...outsideReferrers(product, deletion, facts, ownKeys),
        ...(isDeleted(deletion) ? ownedObjectReferrers(product, deletion, input) : []),
      ]),
    ];
  });
}

function outsideReferrers(
  id: ObjectId,
  deletion: Deletion,
  facts: PreflightInput["facts"],
  ownKeys: ReadonlySet<string>,
): readonly Finding[] {
  const referrers = findReferrers(id, deletion, facts).filter(
    ({ root }) => !ownKeys.has(keyOf(idOf(root))),
  );
  const names = [...new Set(referrers.map(({ root }) => nameOf(idOf(root))))].toSorted();
  return names.length === 0 ? [] : [outsideReferrerFinding(id, deletion, names, referrers)];
}

function ownedObjectReferrers(
  product: ObjectId,
  deletion: Deletion,
  { plan, placeOf }: PreflightInput,
): readonly Finding[] {
  const referrers = plan.changes.filter((change) => {
    const planned = asPlanned(change);
    return isReferencing(planned, product) && !isWorkload(planned);
  });
  if (referrers.length === 0) return [];
  const names = summarizeList(referrers.map(({ id }) => nameOf(id)).toSorted(), maxNames);
  const refers = referrers.length > 1 ? "refer" : "refers";
  const denials = deniedRequests(product, referrers.map(asPlanned));
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(deletion.live),
      what: `${nameOf(deletion.id)} is deleted, but ${names} ${refers} to ${nameOf(product)}, which it owns`,
      why: `It is no longer declared, and ${nameOf(product)} is deleted with it${denials}`,
      fix: `Declare it again, or remove the references to ${nameOf(product)}`,
      where: referrers.flatMap(({ key }) => declarationPlaces({ where: placeOf(key) })),
    },
  ];
}

/**
 * Reports a deleted object that other objects of this deployment reference.
 * Other errors block the deployment if an object can't work without it. qvs keeps objects that Pods
 * use.
 */
function ownReferrers(deletion: Deletion, { plan, placeOf }: PreflightInput): readonly Finding[] {
  const { id, live } = deletion;
  if (isEssential(id)) return [];
  const referrers = plan.changes.filter((change) => {
    const planned = asPlanned(change);
    return isReferencing(planned, id) && !(isPodReferenceKind(id) && isWorkload(planned));
  });
  if (referrers.length === 0) return [];
  const names = referrers.map((change) => nameOf(change.id)).toSorted();
  const refers = names.length > 1 ? "refer" : "refers";
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(live),
      what: `${nameOf(id)} is deleted, but ${summarizeList(names, maxNames)} ${refers} to it`,
      why: `It is no longer declared, but this deployment still uses it${deniedRequests(
        id,
        referrers.map(asPlanned),
      )}`,
      fix: "Declare it again, or remove the references to it",
      where: referrers.flatMap(({ key }) => declarationPlaces({ where: placeOf(key) })),
    },
  ];
}

/**
 * Reports whether Pods that use the object delay its deletion.
 * The deletion waits as long as they use it.
 */
function isKeptWhileUsed(
  id: ObjectId,
  referrers: readonly { readonly referrer: KubeObject }[],
): boolean {
  return isPodReferenceKind(id) && referrers.some(({ referrer }) => isWorkload(referrer));
}

/**
 * Describes the requests that the API server rejects because the deleted Service no longer answers.
 */
function deniedRequests(id: ObjectId, referrers: readonly KubeObject[]): string {
  const isNeeded = referrers
    .flatMap(calledServices)
    .some((service) => service.isNeeded && keyOf(service.id) === keyOf(id));
  return isNeeded
    ? ". The API server then denies each request that it must send to this Service"
    : "";
}

function outsideReferrerFinding(
  id: ObjectId,
  deletion: Deletion,
  names: readonly string[],
  referrers: ReturnType<typeof findReferrers>,
): Finding {
  const { live } = deletion;
  const denials = deniedRequests(
    id,
    referrers.map(({ referrer }) => referrer),
  );
  const who = summarizeList(names, maxNames);
  const many = names.length > 1;
  const isWaiting = isKeptWhileUsed(id, referrers);
  const fate = isWaiting ? "is no longer declared" : "is deleted";
  const referring = `${who} ${many ? "refer" : "refers"} to`;
  return findingWithoutPlace(live, {
    code: "still-referenced",
    severity: "warning",
    what:
      id === deletion.id
        ? `${nameOf(id)} ${fate}, but ${referring} it`
        : `${nameOf(deletion.id)} ${fate}, but ${referring} ${nameOf(id)}, which it owns`,
    why: [
      ...(isWaiting ? ["qvs keeps it while it is in use, and then deletes it"] : []),
      ...(isWaiting || id === deletion.id ? [] : [`${nameOf(id)} is deleted with it`]),
      `${many ? `These ${names.length} objects aren't` : `${who} isn't`} part of this deployment${denials}`,
    ].join(". "),
    fix: "Declare it again, or remove the references to it first",
  });
}

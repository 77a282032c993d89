import { calledServices } from "../../model/cluster/called-services.ts";
import { isPodReferenceKind } from "../../model/cluster/pods.ts";
import type { Deletion } from "../../model/deletion.ts";
import {
  addressOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectId,
} from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/closest.ts";
import { foretellDeletions, isWorkload, namersOf } from "../foretell-deletions.ts";
import { isNaming, isVital } from "../names-of.ts";
import { asPlanned } from "../planned-pods.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

/**
 * Reports deleted objects that other objects reference.
 * The references can be in this deployment or outside of it. Those objects stop working after the
 * deletion.
 */
export function stillReferenced(input: PreflightInput): readonly Finding[] {
  const { plan, facts, purpose = "preview" } = input;
  const ours = new Set([...plan.changes, ...plan.deletions].map(({ key }) => key));
  const going = new Set(foretellDeletions(plan, facts, purpose).deletions.map(({ key }) => key));
  const isGoing = ({ key }: Deletion) => going.has(key);
  return plan.deletions.flatMap((deletion): readonly Finding[] => {
    const products = deletion.products?.objects ?? [];
    return [
      ...othersNaming(deletion.id, deletion, facts, ours),
      ...(isGoing(deletion) ? namedByOurs(deletion, input) : []),
      ...products.flatMap((product) => [
        ...othersNaming(product, deletion, facts, ours),
        ...(isGoing(deletion) ? productNamedByOurs(product, deletion, input) : []),
      ]),
    ];
  });
}

function othersNaming(
  id: ObjectId,
  deletion: Deletion,
  facts: PreflightInput["facts"],
  ours: ReadonlySet<string>,
): readonly Finding[] {
  const namers = namersOf(id, deletion, facts).filter(({ root }) => !ours.has(keyOf(idOf(root))));
  const names = [...new Set(namers.map(({ root }) => nameOf(idOf(root))))].toSorted();
  return names.length === 0 ? [] : [findingOf(id, deletion, names, namers)];
}

function productNamedByOurs(
  product: ObjectId,
  deletion: Deletion,
  { plan, placeOf }: PreflightInput,
): readonly Finding[] {
  const namers = plan.changes.filter((change) => {
    const planned = asPlanned(change);
    return isNaming(planned, product) && !isWorkload(planned);
  });
  if (namers.length === 0) return [];
  const names = summarizeList(namers.map(({ id }) => nameOf(id)).toSorted(), mostNames);
  const refers = namers.length > 1 ? "refer" : "refers";
  const refused = deniedRequests(product, namers.map(asPlanned));
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(deletion.live),
      what: `${nameOf(deletion.id)} is deleted, but ${names} ${refers} to ${nameOf(product)}, which it owns`,
      why: `It is no longer declared, and ${nameOf(product)} is deleted with it${refused}`,
      fix: `Declare it again, or remove the references to ${nameOf(product)}`,
      where: namers.flatMap(({ key }) => declarationPlaces({ where: placeOf(key) })),
    },
  ];
}

/**
 * Reports a deleted object that other objects of this deployment reference.
 * Other errors block the deployment if an object can't work without it. qvs keeps objects that Pods
 * use.
 */
function namedByOurs(deletion: Deletion, { plan, placeOf }: PreflightInput): readonly Finding[] {
  const { id, live } = deletion;
  if (isVital(id)) return [];
  const namers = plan.changes.filter((change) => {
    const planned = asPlanned(change);
    return isNaming(planned, id) && !(isPodReferenceKind(id) && isWorkload(planned));
  });
  if (namers.length === 0) return [];
  const names = namers.map((change) => nameOf(change.id)).toSorted();
  const refers = names.length > 1 ? "refer" : "refers";
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(live),
      what: `${nameOf(id)} is deleted, but ${summarizeList(names, mostNames)} ${refers} to it`,
      why: `It is no longer declared, but this deployment still uses it${deniedRequests(
        id,
        namers.map(asPlanned),
      )}`,
      fix: "Declare it again, or remove the references to it",
      where: namers.flatMap(({ key }) => declarationPlaces({ where: placeOf(key) })),
    },
  ];
}

/**
 * Reports whether Pods that use the object delay its deletion.
 * The deletion waits as long as they use it.
 */
function isKept(id: ObjectId, namers: readonly { readonly namer: KubeObject }[]): boolean {
  return isPodReferenceKind(id) && namers.some(({ namer }) => isWorkload(namer));
}

/**
 * Describes the requests that the API server rejects because the deleted Service no longer answers.
 */
function deniedRequests(id: ObjectId, namers: readonly KubeObject[]): string {
  const isNeeded = namers
    .flatMap(calledServices)
    .some((service) => service.isNeeded && keyOf(service.id) === keyOf(id));
  return isNeeded
    ? ". The API server then denies each request that it must send to this Service"
    : "";
}

function findingOf(
  id: ObjectId,
  deletion: Deletion,
  names: readonly string[],
  namers: ReturnType<typeof namersOf>,
): Finding {
  const { live } = deletion;
  const refused = deniedRequests(
    id,
    namers.map(({ namer }) => namer),
  );
  const who = summarizeList(names, mostNames);
  const many = names.length > 1;
  const isWaiting = isKept(id, namers);
  const fate = isWaiting ? "is no longer declared" : "is deleted";
  const referring = `${who} ${many ? "refer" : "refers"} to`;
  return {
    code: "still-referenced",
    severity: "warning",
    object: addressOf(live),
    what:
      id === deletion.id
        ? `${nameOf(id)} ${fate}, but ${referring} it`
        : `${nameOf(deletion.id)} ${fate}, but ${referring} ${nameOf(id)}, which it owns`,
    why: [
      ...(isWaiting ? ["qvs keeps it while it is in use, and then deletes it"] : []),
      ...(isWaiting || id === deletion.id ? [] : [`${nameOf(id)} is deleted with it`]),
      `${many ? `These ${names.length} objects aren't` : `${who} isn't`} part of this deployment${refused}`,
    ].join(". "),
    fix: "Declare it again, or remove the references to it first",
    where: [],
  };
}

import { isNamedByPods } from "../../model/cluster/pods.ts";
import { servingServices } from "../../model/cluster/serving-services.ts";
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
import { declaredAt } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
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
  const names = listed(namers.map(({ id }) => nameOf(id)).toSorted(), mostNames);
  const many = namers.length > 1;
  const maker = nameOf(deletion.id);
  const refused = whatIsRefused(product, namers.map(asPlanned));
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(deletion.live),
      what: `${maker} is deleted, and with it ${nameOf(product)}, but ${names} of this deployment ${many ? "name" : "names"} that`,
      why: `it is no longer declared, and it owns what ${many ? "they name" : "is named"}${refused}`,
      fix: "Declare it again, or change what names the object that it owns",
      where: namers.flatMap(({ key }) => declaredAt({ where: placeOf(key) })),
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
    return isNaming(planned, id) && !(isNamedByPods(id) && isWorkload(planned));
  });
  if (namers.length === 0) return [];
  const names = namers.map((change) => nameOf(change.id)).toSorted();
  const many = names.length > 1;
  return [
    {
      code: "still-referenced",
      severity: "warning",
      object: addressOf(live),
      what: `${nameOf(id)} is deleted, but ${listed(names, mostNames)} of this deployment ${many ? "name" : "names"} it`,
      why: `it is no longer declared, and what names it is${whatIsRefused(
        id,
        namers.map(asPlanned),
      )}`,
      fix: "Declare it again, or change what names it",
      where: namers.flatMap(({ key }) => declaredAt({ where: placeOf(key) })),
    },
  ];
}

/**
 * Reports whether Pods that use the object delay its deletion.
 * The deletion waits as long as they use it.
 */
function isKept(id: ObjectId, namers: readonly { readonly namer: KubeObject }[]): boolean {
  return isNamedByPods(id) && namers.some(({ namer }) => isWorkload(namer));
}

/**
 * Describes the requests that the API server rejects because the deleted Service no longer answers.
 */
function whatIsRefused(id: ObjectId, namers: readonly KubeObject[]): string {
  const isNeeded = namers
    .flatMap(servingServices)
    .some((service) => service.isNeeded && keyOf(service.id) === keyOf(id));
  return isNeeded ? "; what the API server has to ask it about is refused then" : "";
}

function findingOf(
  id: ObjectId,
  deletion: Deletion,
  names: readonly string[],
  namers: ReturnType<typeof namersOf>,
): Finding {
  const { live } = deletion;
  const refused = whatIsRefused(
    id,
    namers.map(({ namer }) => namer),
  );
  const who = listed(names, mostNames);
  const many = names.length > 1;
  const product = id === deletion.id ? undefined : nameOf(id);
  const it = product === undefined ? "it" : `${product}, which it owns`;
  const goes = product === undefined ? "but" : `and with it ${product}, but`;
  return {
    code: "still-referenced",
    severity: "warning",
    object: addressOf(live),
    what: isKept(id, namers)
      ? `${nameOf(deletion.id)} is no longer declared, but ${who} ${many ? "name" : "names"} ${it}: it stays until that ends, and is deleted then`
      : `${nameOf(deletion.id)} is deleted, ${goes} ${who} ${many ? "name" : "names"} ${product === undefined ? "it" : "that"}`,
    why: `${many ? `${names.length} objects` : "the object"} that ${many ? "name" : "names"} it ${many ? "are" : "is"} not part of this deployment${refused}`,
    fix: `Declare it again, or change what names it first`,
    where: [],
  };
}

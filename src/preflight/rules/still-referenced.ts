import type { Deletion } from "../../model/deletion.ts";
import { addressOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { listed } from "../../model/text/closest.ts";
import { isWorkload, namersOf } from "../foretell-deletions.ts";
import { isNamedByPods } from "../names-of.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

/** What this deployment no longer declares and others name: it is not theirs, but they stop working without it. */
export function stillReferenced({ plan, facts }: PreflightInput): readonly Finding[] {
  const ours = new Set([...plan.changes, ...plan.deletions].map(({ key }) => key));
  return plan.deletions.flatMap((deletion): readonly Finding[] => {
    const namers = namersOf(deletion, facts).filter(({ root }) => !ours.has(keyOf(idOf(root))));
    const names = [...new Set(namers.map(({ root }) => nameOf(idOf(root))))].toSorted();
    if (names.length === 0) return [];
    return [findingOf(deletion, names, isKept(deletion, namers))];
  });
}

/** Pods that use it keep it from being deleted, for as long as they do. */
function isKept({ id }: Deletion, namers: readonly { readonly namer: KubeObject }[]): boolean {
  return isNamedByPods(id) && namers.some(({ namer }) => isWorkload(namer));
}

function findingOf(
  { id, live }: Deletion,
  names: readonly string[],
  isKeptForNow: boolean,
): Finding {
  const who = listed(names, mostNames);
  const many = names.length > 1;
  return {
    code: "still-referenced",
    severity: "warning",
    object: addressOf(live),
    what: isKeptForNow
      ? `${nameOf(id)} is no longer declared, but ${who} ${many ? "name" : "names"} it: it stays until that ends, and is deleted then`
      : `${nameOf(id)} is deleted, but ${who} ${many ? "name" : "names"} it`,
    why: `${many ? `${names.length} objects` : "the object"} that ${many ? "name" : "names"} it ${many ? "are" : "is"} not part of this deployment`,
    fix: `Declare it again, or change what names it first`,
    where: [],
  };
}

import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import {
  type ContainedObject,
  type DeletedContents,
  isNamespace,
  type UnreadKind,
} from "../../model/cluster/namespaces-and-crds.ts";
import { nameOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { kubectlArguments } from "../../ssa/protection.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

/**
 * Reports objects outside this deployment that are deleted with a Namespace or
 * CustomResourceDefinition.
 * It also reports kinds that qvs can't list.
 */
export function deletesOutsideObjects({ plan }: PreflightInput): readonly Finding[] {
  return plan.deletions.flatMap((deletion) => {
    const { contents } = deletion;
    if (contents === undefined) return [];
    return [
      ...(contents.objects.length === 0 ? [] : [outsideObjectsFinding(deletion, contents)]),
      ...(contents.unread.length === 0 ? [] : [unlistedKindsFinding(deletion, contents)]),
    ];
  });
}

function outsideObjectsFinding({ id, live }: Deletion, { objects }: DeletedContents): Finding {
  const number = objects.length === 1 ? "1 object" : `${objects.length} objects`;
  return findingWithoutPlace(live, {
    code: "deletes-outside-objects",
    severity: "warning",
    what: `${nameOf(id)} is deleted together with ${number} outside this deployment`,
    why: `${formatByKind(objects, isNamespace(id))}. Managed by ${formatManagers(objects)}`,
    fix: `Ask the people who manage them first, or keep it: kubectl annotate ${kubectlArguments(live)} ${keepOnDeleteAnnotation}=kept`,
  });
}

function unlistedKindsFinding({ id, live }: Deletion, { unread }: DeletedContents): Finding {
  const kinds = [...new Set(unread.map(({ kind }) => kind))];
  return findingWithoutPlace(live, {
    code: "deletes-outside-objects",
    severity: "warning",
    what: `${nameOf(id)} is deleted, but qvs can't list all objects ${isNamespace(id) ? "in it" : "of its kind"}`,
    why: `Objects of these kinds outside this deployment might be deleted with it: ${summarizeList(kinds, maxKinds)}. ${formatReasons(unread)}`,
    fix: isNamespace(id)
      ? `Allow this identity to list everything in namespace ${id.name}, or check its content before you deploy`
      : "Allow this identity to list them in all namespaces, or check for such objects before you deploy",
  });
}

const maxKinds = 12;
const maxNames = 3;
const maxManagers = 5;

/**
 * Formats objects as `ConfigMap (2): a, b; Deployment (12): x, y, z and 9 more`.
 * It adds namespaces if the objects can be in several.
 */
function formatByKind(objects: readonly ContainedObject[], isOneNamespace: boolean): string {
  const kinds = [...Map.groupBy(objects, ({ id }) => id.kind)].map(([kind, held]) => {
    const names = held.map(({ id: { namespace, name } }) =>
      isOneNamespace || namespace === "" ? name : `${namespace}/${name}`,
    );
    return `${kind} (${held.length}): ${summarizeList(names, maxNames)}`;
  });
  const more = kinds.length - maxKinds;
  const shown = kinds.toSorted().slice(0, maxKinds).join("; ");
  return more > 0 ? `${shown}; and ${more} more kinds` : shown;
}

function formatManagers(objects: readonly ContainedObject[]): string {
  const counts = new Map<string, number>();
  for (const { manager } of objects) counts.set(manager, (counts.get(manager) ?? 0) + 1);
  const shown = [...counts]
    .toSorted(
      ([a, many], [b, more]) =>
        more - many || Number(a === "") - Number(b === "") || (a < b ? -1 : 1),
    )
    .map(([manager, count]) => `${manager || "an unknown manager"} (${count})`);
  return summarizeList(shown, maxManagers);
}

/** Returns the first reason and the number of others. Most reasons differ only in the kind. */
function formatReasons(unread: readonly UnreadKind[]): string {
  const more = unread.length - 1;
  return `${unread[0]?.why ?? ""}${more > 0 ? `; the same or similar for ${more} more` : ""}`;
}

import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isObject, type Json } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { groupOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { asPlanned } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/** The default limit of an etcd request (`--max-request-bytes`). */
const maxBytes = 1.5 * 1024 * 1024;

/**
 * Reports objects that are too large for etcd.
 * A dry run stores nothing, so it doesn't detect them.
 * The rule checks custom resources, ConfigMaps and Secrets, which are stored at about the size of
 * their JSON.
 * Other kinds are stored in a more compact form and are rarely that large.
 */
export function tooLarge({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(isCheckable).flatMap((change): readonly Finding[] => {
    const size = storedBytes(asPlanned(change));
    if (size <= maxBytes) return [];
    return [
      changeFinding(change, placeOf, {
        code: "too-large",
        severity: "warning",
        what: `${nameOf(change.id)} is too large to be stored`,
        why: `It has ${formatMiB(size)} including metadata.managedFields, and etcd stores at most 1.5 MiB by default. A dry run doesn't detect this`,
        fix: "Split it into several objects, or store large values elsewhere",
      }),
    ];
  });
}

function isCheckable({ action, desired, redacted }: Change): boolean {
  if (action === "unchanged" || redacted !== undefined) return false;
  const group = groupOf(desired.apiVersion);
  return isCustomGroup(group) || (group === "" && ["ConfigMap", "Secret"].includes(desired.kind));
}

/** Returns the stored size of an object. Base64 data is stored as decoded bytes. */
function storedBytes(object: KubeObject): number {
  const encoded = isCoreObject(object, "Secret")
    ? object["data"]
    : isCoreObject(object, "ConfigMap")
      ? object["binaryData"]
      : undefined;
  return new TextEncoder().encode(JSON.stringify(object)).length - textBytes(encoded) / 4;
}

function textBytes(data: Json | undefined): number {
  return isObject(data)
    ? Object.values(data).reduce(
        (sum: number, value) => sum + (typeof value === "string" ? value.length : 0),
        0,
      )
    : 0;
}

function formatMiB(bytes: number): string {
  return `${(Math.ceil((bytes / 1024 / 1024) * 100) / 100).toFixed(2)} MiB`;
}

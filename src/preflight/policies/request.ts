import type { Deletion } from "../../model/deletion.ts";
import { at, type Json } from "../../model/json.ts";
import { idOf, type KubeObject, withMetadata } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { redact } from "../../redaction/redact.ts";
import { shownChange, shownDeletion } from "../../redaction/shown-change.ts";
import type { ClusterFacts } from "../facts.ts";
import { isKnown, plannedPods } from "../planned-pods.ts";

/** What is asked of the API server, by whom. */
export interface AdmissionRequest {
  readonly by: Pick<Change, "id" | "key" | "desired">;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  /** undefined where the server or a controller makes it up. */
  readonly name: string | undefined;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** As admission sees it: null where it is deleted, undefined where nobody knows. */
  readonly object: KubeObject | null | undefined;
  readonly oldObject: KubeObject | undefined;
  /** What may be shown of the two. A policy chooses its words and what it judges by, so nothing else may be told to it. */
  readonly shown: { readonly object?: Json | undefined; readonly oldObject?: Json | undefined };
}

/** For the object itself, and for one Pod of those that it makes. `hides` are texts that may be shown nowhere. */
export function requestsFor(
  change: Change,
  { samplePods }: Pick<ClusterFacts, "samplePods">,
  hides: readonly string[] | undefined,
): readonly AdmissionRequest[] {
  const { group, kind, namespace, name } = change.id;
  const isNew = change.live === undefined || change.action === "replace";
  const object = knownObject(change);
  const sample = samplePods.get(change.key);
  const makesPods = plannedPods([change]).length > 0 && kind !== "Pod";
  const oldObject = isNew ? undefined : change.live;
  const shownOf = (each: KubeObject | undefined) => each && redact(each, { hides });
  const own: AdmissionRequest = {
    ...{ by: change, group, version: versionOf(change.desired), kind, namespace, name, object },
    operation: isNew ? "CREATE" : "UPDATE",
    oldObject,
    shown: { object: shownOf(object), oldObject: shownOf(oldObject) },
  };
  const made = sample?.ok === true ? sample.value : undefined;
  const pod: AdmissionRequest = {
    ...{ by: change, group: "", version: "v1", kind: "Pod", namespace, name: undefined },
    operation: "CREATE",
    ...{ object: made, oldObject: undefined, shown: { object: shownOf(made) } },
  };
  return makesPods ? [own, pod] : [own];
}

/** For the deletion of what is no longer declared. */
export function requestOfDeletion(
  deletion: Deletion,
  hides: readonly string[] | undefined,
): AdmissionRequest {
  return toDelete(deletion, shownDeletion(deletion, hides)?.before);
}

/** For the deletion of what is recreated. */
export function requestOfRecreation(
  change: Change,
  hides: readonly string[] | undefined,
): AdmissionRequest | undefined {
  const { key, id, live, action } = change;
  if (action !== "replace" || live === undefined) return undefined;
  return toDelete({ key, id, live }, shownChange(change, hides).before);
}

/** For the creation of what nobody can ask about: as it is declared, since what the server makes of it isn't known. */
export function requestAsDeclared(
  change: Change,
  hides: readonly string[] | undefined,
): AdmissionRequest {
  const { id, desired } = change;
  return {
    ...{ by: change, ...id, version: versionOf(desired), operation: "CREATE" },
    ...{ object: desired, oldObject: undefined, shown: { object: redact(desired, { hides }) } },
  };
}

/** Of Secrets nothing is told, nor where nobody knows what may be. */
function toDelete(
  { key, id, live }: Pick<Deletion, "key" | "id" | "live">,
  shown: Json | undefined,
): AdmissionRequest {
  const { group, kind, namespace, name } = id;
  const isUntold = shown === undefined || (group === "" && kind === "Secret");
  return {
    ...{ by: { id, key, desired: live }, group, version: versionOf(live), kind, namespace, name },
    ...{ operation: "DELETE", object: isUntold ? undefined : null, oldObject: live },
    shown: { oldObject: shown },
  };
}

function versionOf({ apiVersion }: KubeObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** What the server has answered, of which nothing is hidden. The values of Secrets are asked nowhere. */
function knownObject(change: Change): KubeObject | undefined {
  const { predicted, certainty, desired, live, action, id } = change;
  if (predicted === undefined || certainty.by !== "server" || change.shows !== undefined) {
    return undefined;
  }
  const isOfOneVersion = [predicted, ...(live === undefined ? [] : [live])].every(
    ({ apiVersion }) => apiVersion === desired.apiVersion,
  );
  const isSecret = id.group === "" && id.kind === "Secret";
  if (isSecret || !isOfOneVersion || !isKnown(change)) return undefined;
  // What is recreated was asked about under another name.
  return action === "replace" ? withMetadata(predicted, { name: idOf(desired).name }) : predicted;
}

/** Whether a controller makes it, so that its name and identity are its own. */
export function isMadeByController({ name, object }: AdmissionRequest): boolean {
  return name === undefined && at(object ?? undefined, "metadata") !== undefined;
}

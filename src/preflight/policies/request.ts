import type { Deletion } from "../../model/deletion.ts";
import { at } from "../../model/json.ts";
import { idOf, type KubeObject, withMetadata } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
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
}

/** For the object itself, and for one Pod of those that it makes. */
export function requestsFor(
  change: Change,
  { samplePods }: Pick<ClusterFacts, "samplePods">,
): readonly AdmissionRequest[] {
  const { group, kind, namespace, name } = change.id;
  const isNew = change.live === undefined || change.action === "replace";
  const object = knownObject(change);
  const sample = samplePods.get(change.key);
  const makesPods = plannedPods([change]).length > 0 && kind !== "Pod";
  const own: AdmissionRequest = {
    ...{ by: change, group, version: versionOf(change.desired), kind, namespace, name, object },
    operation: isNew ? "CREATE" : "UPDATE",
    oldObject: isNew ? undefined : change.live,
  };
  const pod: AdmissionRequest = {
    ...{ by: change, group: "", version: "v1", kind: "Pod", namespace, name: undefined },
    operation: "CREATE",
    object: sample?.ok === true ? sample.value : undefined,
    oldObject: undefined,
  };
  return makesPods ? [own, pod] : [own];
}

/** For the deletion of a live object. Of Secrets nothing is told. */
export function deletionOf({
  key,
  id,
  live,
}: Pick<Deletion, "key" | "id" | "live">): AdmissionRequest {
  const { group, kind, namespace, name } = id;
  const isSecret = group === "" && kind === "Secret";
  return {
    ...{ by: { id, key, desired: live }, group, version: versionOf(live), kind, namespace, name },
    ...{ operation: "DELETE", object: isSecret ? undefined : null, oldObject: live },
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

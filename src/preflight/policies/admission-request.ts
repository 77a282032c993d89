import { at, type Json } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { idOf, type KubeObject, type ObjectId, withMetadata } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { redact } from "../../redaction/redact.ts";
import { redactedChange, redactedDeletion } from "../../redaction/redacted-change.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { hasKnownValues, plannedPods } from "../planned-pods.ts";

/** A request to the API server, and the change that causes it. */
export interface AdmissionRequest {
  readonly cause: Pick<Change, "id" | "key" | "desired">;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The namespace; empty for a cluster-scoped object. */
  readonly namespace: string;
  /** The name; undefined if the API server or a controller generates it. */
  readonly name: string | undefined;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** The object that admission receives: null for a deletion, undefined if it isn't known. */
  readonly object: KubeObject | null | undefined;
  readonly oldObject: KubeObject | undefined;
  /**
   * The parts of both objects that can be shown.
   * A policy chooses its message and its conditions, so it must not receive anything else.
   */
  readonly shown: { readonly object?: Json | undefined; readonly oldObject?: Json | undefined };
}

/**
 * Returns the requests for an object itself and for one of the Pods that it creates.
 * `hides` are texts that no output can contain.
 */
export function admissionRequests(
  change: Change,
  { samplePods }: Pick<ClusterFacts, "samplePods">,
  hides: readonly string[] | undefined,
): readonly AdmissionRequest[] {
  const { group, kind, namespace, name } = change.id;
  const isNew = change.live === undefined || change.action === "replace";
  const object = knownObject(change);
  const sample = samplePods.get(change.key);
  const createsPods = plannedPods([change]).length > 0 && kind !== "Pod";
  const oldObject = isNew ? undefined : change.live;
  const redacted = (each: KubeObject | undefined) => each && redact(each, { hides });
  const own: AdmissionRequest = {
    ...{
      cause: change,
      group,
      version: readVersion(change.desired),
      kind,
      namespace,
      name,
      object,
    },
    operation: isNew ? "CREATE" : "UPDATE",
    oldObject,
    shown: { object: redacted(object), oldObject: redacted(oldObject) },
  };
  const samplePod = sample?.ok === true ? sample.value : undefined;
  const pod: AdmissionRequest = {
    ...{ cause: change, group: "", version: "v1", kind: "Pod", namespace, name: undefined },
    operation: "CREATE",
    ...{ object: samplePod, oldObject: undefined, shown: { object: redacted(samplePod) } },
  };
  return createsPods ? [own, pod] : [own];
}

/** Returns the request to delete an object that is no longer declared. */
export function deletionRequest(
  deletion: Deletion,
  hides: readonly string[] | undefined,
): AdmissionRequest {
  return buildDeleteRequest(deletion, redactedDeletion(deletion, hides)?.before);
}

/**
 * Returns the request to delete an object that qvs replaces; undefined if qvs doesn't replace it.
 */
export function recreationRequest(
  change: Change,
  hides: readonly string[] | undefined,
): AdmissionRequest | undefined {
  const { key, id, live, action } = change;
  if (action !== "replace" || live === undefined) return undefined;
  return buildDeleteRequest({ key, id, live }, redactedChange(change, hides).before);
}

/**
 * Returns the request to create an object that qvs can't dry-run.
 * It contains the declared object, because the API server's changes to it aren't known.
 */
export function creationRequest(
  change: Change,
  hides: readonly string[] | undefined,
): AdmissionRequest {
  const { id, desired } = change;
  return {
    ...{ cause: change, ...id, version: readVersion(desired), operation: "CREATE" },
    ...{ object: desired, oldObject: undefined, shown: { object: redact(desired, { hides }) } },
  };
}

/**
 * Returns the request to delete an object.
 * Its content is unknown for a Secret, or if qvs doesn't know which parts can be shown.
 */
function buildDeleteRequest(
  { key, id, live }: Pick<Deletion, "key" | "id" | "live">,
  shown: Json | undefined,
): AdmissionRequest {
  const { group, kind, namespace, name } = id;
  const isHidden = shown === undefined || (group === "" && kind === "Secret");
  return {
    ...{
      cause: { id, key, desired: live },
      group,
      version: readVersion(live),
      kind,
      namespace,
      name,
    },
    ...{ operation: "DELETE", object: isHidden ? undefined : null, oldObject: live },
    shown: { oldObject: shown },
  };
}

/**
 * Returns the requests with which qvs ends each run: for the record of the release, and for the
 * deployment lock.
 */
export function recordRequests({
  deployment,
  namespace,
}: Pick<Plan, "deployment" | "namespace">): readonly AdmissionRequest[] {
  const name = `qvs.${deployment}`;
  const request = (id: ObjectId, apiVersion: string): AdmissionRequest => {
    const desired = { apiVersion, kind: id.kind, metadata: { namespace, name } };
    return {
      ...{ cause: { id, key: "", desired }, group: id.group, version: "v1", kind: id.kind },
      ...{ namespace, name: undefined, operation: "UPDATE" },
      ...{ object: undefined, oldObject: undefined, shown: {} },
    };
  };
  return [
    request({ group: "", kind: "Secret", namespace, name }, "v1"),
    request(
      { group: "coordination.k8s.io", kind: "Lease", namespace, name },
      "coordination.k8s.io/v1",
    ),
  ];
}

function readVersion({ apiVersion }: KubeObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/**
 * Returns the API server's answer if nothing in it is hidden.
 * qvs doesn't evaluate policies with values of Secrets.
 */
function knownObject(change: Change): KubeObject | undefined {
  const { predicted, certainty, desired, live, action, id } = change;
  if (predicted === undefined || certainty.by !== "server" || change.redacted !== undefined) {
    return undefined;
  }
  const isOneVersion = [predicted, ...(live === undefined ? [] : [live])].every(
    ({ apiVersion }) => apiVersion === desired.apiVersion,
  );
  const isSecret = isCoreKind(id, "Secret");
  if (isSecret || !isOneVersion || !hasKnownValues(change)) return undefined;
  // The dry run of a replaced object used another name.
  return action === "replace" ? withMetadata(predicted, { name: idOf(desired).name }) : predicted;
}

/** Reports whether a controller creates the object and chooses its name and identity. */
export function isCreatedByController({ name, object }: AdmissionRequest): boolean {
  return name === undefined && at(object ?? undefined, "metadata") !== undefined;
}

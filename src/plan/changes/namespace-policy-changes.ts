import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import {
  denyingPolicyKeys,
  expansionDenied,
  isExpansionDenied,
  unavailableWebhook,
} from "../../model/cluster/api/messages/denials.ts";
import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { boundPolicies, isParameter } from "../../model/cluster/policy-parameters.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { changesWebhook } from "../../model/cluster/webhooks.ts";
import type { UpstreamDeployments } from "../../model/deployments/other-deployments.ts";
import { at } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameFromKey,
  type ObjectId,
} from "../../model/object.ts";
import { type AdmissionSubject, toNewPod } from "../../validation/admission/admission-subject.ts";
import {
  type NamespacePolicyChange,
  namespacePolicyChanges,
} from "../../validation/admission/changed-namespace-policies.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import type { ChangeVerdict } from "./verdict.ts";

/** A test for kinds by which the API server can reject other objects. */
export type IsNamespacePolicy = (id: ObjectId) => boolean;

/** Lists the changes of upstream deployments by which the API server can reject the object. */
export function upstreamPolicyChanges(
  { key }: DesiredObject,
  { upstreamEdges }: PlanInput["desired"],
  { changes }: UpstreamDeployments,
  isNamespacePolicy: IsNamespacePolicy,
): readonly NamespacePolicyChange[] {
  const before = upstreamEdges.get(key)?.flatMap(({ on }) => changes.get(on) ?? []) ?? [];
  return before
    .filter(({ id }) => isNamespacePolicy(id))
    .flatMap(({ live, desired, predicted }) => namespacePolicyChanges(live, desired, predicted));
}

/**
 * Lists the declared objects that an object waits for and by which the API server can reject it.
 */
export function awaitedPolicies(
  { key }: DesiredObject,
  { objects, edges }: PlanInput["desired"],
  isNamespacePolicy: IsNamespacePolicy,
): readonly DesiredObject[] {
  const before = new Set(edges.get(key)?.map(({ on }) => on));
  return objects.filter((each) => before.has(each.key) && isNamespacePolicy(each.id));
}

/**
 * Returns the Pod or PersistentVolumeClaim that admission judges by its namespace; undefined for
 * other kinds.
 */
export function admissionSubject(
  object: KubeObject,
  predicted: KubeObject | undefined,
  server: ServerVersion | undefined,
): AdmissionSubject | undefined {
  const { apiVersion, kind } = object;
  if (groupOf(apiVersion) !== "") return undefined;
  if (kind === "PersistentVolumeClaim") return { kind, claim: predicted ?? object };
  return kind === "Pod" ? toNewPod(object, predicted, server) : undefined;
}

/**
 * Returns the key of the StorageClass that will allow a PersistentVolumeClaim to grow.
 * The API server rejects the growth now.
 */
export function expandableClass(
  failure: ApiFailure,
  classes: () => readonly NamespacePolicyChange[],
): string | undefined {
  if (!isExpansionDenied(failure)) return undefined;
  const allowing = classes().find(({ after }) => allowsExpansion(after));
  return allowing && keyOf(idOf(allowing.after));
}

/**
 * Returns the API server's message for a PersistentVolumeClaim that can grow now, but no longer
 * when qvs applies it.
 */
export function expansionRejection(
  object: KubeObject,
  live: KubeObject | undefined,
  { steps, predicted }: ChangeVerdict,
  classes: () => readonly NamespacePolicyChange[],
): string | undefined {
  const isClaim = isCoreObject(object, "PersistentVolumeClaim");
  if (!isClaim || live === undefined || steps.length === 0) return undefined;
  if (requestedStorage(predicted) <= requestedStorage(live)) return undefined;
  return classes().some(({ after }) => !allowsExpansion(after)) ? expansionDenied : undefined;
}

function allowsExpansion(storageClass: KubeObject): boolean {
  return storageClass["allowVolumeExpansion"] === true;
}

function requestedStorage(claim: KubeObject | undefined): number {
  return parseQuantity(at(claim, "spec", "resources", "requests", "storage")) ?? 0;
}

/**
 * Returns why a denial doesn't predict the result: the deployment first changes the policy, its
 * binding, its parameters, or the webhook that doesn't answer.
 * Policies and webhooks are last in their stage, so the API server judges objects of the same stage
 * by the present ones.
 */
export function changedPolicy(
  { stage }: DesiredObject,
  failure: ApiFailure,
  { desired: { objects }, observed: { live } }: PlanInput,
  isWritten: (object: DesiredObject) => boolean,
): string | undefined {
  if (stage !== "app") return undefined;
  const keys =
    [failure, ...failure.causes].map(denyingPolicyKeys).find((each) => each.length > 0) ?? [];
  const webhook = unavailableWebhook(failure);
  const parts = keys.flatMap(
    (key) => objects.find((each) => each.key === key)?.object ?? live.get(key) ?? [],
  );
  const [denying] = boundPolicies(parts);
  const decides = ({ key, object }: DesiredObject) =>
    keys.includes(key) ||
    (denying !== undefined && isParameter(object, denying)) ||
    (webhook !== undefined && changesWebhook(webhook, object, live.get(key)));
  const changed = objects.find(
    (object) => object.stage === "appSetup" && decides(object) && isWritten(object),
  );
  return (
    changed &&
    `${nameFromKey(changed.key)}, which decides whether it is allowed, is changed by this deployment`
  );
}

import { type AdmissionSubject, toNewPod } from "../../admission/admission-subject.ts";
import {
  type NamespacePolicyChange,
  namespacePolicyChanges,
} from "../../admission/changed-namespace-policies.ts";
import { groupOf, type KubeObject, type ObjectId } from "../../model/object.ts";
import type { UpstreamDeployments } from "../../model/upstream-deployments.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";

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
): AdmissionSubject | undefined {
  const { apiVersion, kind } = object;
  if (groupOf(apiVersion) !== "") return undefined;
  if (kind === "PersistentVolumeClaim") return { kind, claim: predicted ?? object };
  return kind === "Pod" ? toNewPod(object, predicted) : undefined;
}

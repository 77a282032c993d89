import { isNamespace } from "../../model/cluster/namespaces-and-crds.ts";
import { isParameter } from "../../model/cluster/policy-parameters.ts";
import { isAdmissionConfiguration } from "../../model/governors.ts";
import { at, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { type KubeObject, keyOf, withMetadata } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { createPlanBudget } from "../../validation/undecided.ts";
import { type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned, hasKnownValues } from "../planned-pods.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import type { BoundPolicy, PolicyContext } from "./evaluate-policy.ts";

/** A policy and one of its bindings, if the deployment changes something about them. */
export interface PendingPolicy extends BoundPolicy {
  /** The change to the binding, the policy or its parameters. */
  readonly pendingChange: Change;
}

/**
 * Lists the policies that are in effect before qvs writes the stage `app`, or before it deletes
 * objects.
 * The plan must contain the binding. It must also contain the policy, unless qvs has read it.
 */
export function pendingPolicies(
  changes: readonly Change[],
  { dependencies }: Pick<ClusterFacts, "dependencies">,
  before: "app" | "deletions",
): readonly PendingPolicy[] {
  const early = before === "app" ? changes.filter(isInEffectBeforeApp) : changes;
  return early.filter(isPolicyBinding).flatMap((bound): readonly PendingPolicy[] => {
    const binding = asPlanned(bound);
    const id = { ...bound.id, kind: policyKind, name: boundPolicyName(binding) };
    const own = early.find(({ key }) => key === keyOf(id));
    const read = dependencies.get(keyOf(id));
    const policy = own === undefined ? read?.known && read.value.object : asPlanned(own);
    if (policy === undefined || policy === false) return [];
    const given = policyParams(policy, binding, early);
    const pendingChange = [bound, own, given.by].find(
      (each) => each !== undefined && isWritten(each),
    );
    return pendingChange === undefined
      ? []
      : [{ policy, binding, params: given.params, pendingChange }];
  });
}

const policyKind = "ValidatingAdmissionPolicy";

/**
 * Reports whether the object is in effect before qvs writes the stage `app`.
 * A policy in `app` can't decide about `app`, because qvs writes it last there.
 */
function isInEffectBeforeApp(change: Change): boolean {
  return change.stage === "appSetup" || !isWritten(change);
}

function isWritten({ action }: Change): boolean {
  return action !== "unchanged";
}

function isPolicyBinding({ id }: Change): boolean {
  return isAdmissionConfiguration(id) && id.kind === `${policyKind}Binding`;
}

export function boundPolicyName(binding: KubeObject): string {
  return textAt(binding, "spec", "policyName") ?? "";
}

/**
 * Returns the parameters of a policy.
 * They are unknown if a selector chooses them, if they are in the namespace of each request, or if
 * the plan doesn't contain them.
 */
function policyParams(
  policy: KubeObject,
  binding: KubeObject,
  early: readonly Change[],
): Pick<BoundPolicy, "params"> & { readonly by?: Change | undefined } {
  const paramKind = at(policy, "spec", "paramKind");
  const reference = at(binding, "spec", "paramRef");
  if (paramKind === undefined || reference === undefined) return { params: null };
  const [name, namespace] = [textAt(reference, "name"), textAt(reference, "namespace")];
  const found = early.filter((change) => isParameter(asPlanned(change), { policy, binding }));
  const by = found.find(isWritten) ?? found[0];
  const isOne = by !== undefined && name !== undefined && (namespace ?? "") === by.id.namespace;
  return { params: isOne ? paramObject(by, textAt(paramKind, "apiVersion")) : undefined, by };
}

/**
 * Returns a parameter object with known content.
 * A new ConfigMap contains exactly its declared content; the API server can add fields to other
 * kinds.
 */
function paramObject(change: Change, apiVersion: string | undefined): KubeObject | undefined {
  const { id, predicted, desired, live, redacted } = change;
  const isPlain = isCoreKind(id, "ConfigMap") && live === undefined;
  const object = predicted ?? (isPlain ? desired : undefined);
  const isSecret = isCoreKind(id, "Secret");
  if (isSecret || redacted !== undefined || !hasKnownValues(change)) return undefined;
  return object?.apiVersion === apiVersion ? object : undefined;
}

/** Returns the namespaces as they will be when qvs writes the stage `app`. */
export function createPolicyContext(
  changes: readonly Change[],
  { namespaces }: Pick<ClusterFacts, "namespaces">,
  hides: readonly string[] | undefined,
): PolicyContext {
  const findNamespace = (name: string): KubeObject | undefined => {
    const own = changes.find(({ id }) => isNamespace(id) && id.name === name);
    if (own === undefined) {
      return knownValues(namespaces).find((each) => textAt(each, "metadata", "name") === name);
    }
    const { live, predicted, desired, redacted } = own;
    const object = predicted ?? (live === undefined ? desired : undefined);
    return object === undefined || redacted !== undefined ? undefined : withNameLabel(object, name);
  };
  return {
    findNamespace,
    budget: createPlanBudget(),
    hides,
    namespaceLabels: (name) => {
      const namespace = findNamespace(name);
      return namespace && labelsAt(at(namespace, "metadata", "labels"));
    },
  };
}

function withNameLabel(namespace: KubeObject, name: string): KubeObject {
  const labels = labelsAt(at(namespace, "metadata", "labels"));
  return withMetadata(namespace, { labels: { ...labels, "kubernetes.io/metadata.name": name } });
}

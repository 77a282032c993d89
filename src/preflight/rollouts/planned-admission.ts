import { podSpecOf } from "../../model/cluster/pods.ts";
import { governedNamespace, isNamespacePolicy } from "../../model/governors.ts";
import { at, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import {
  type NamespacePolicyChange,
  namespacePolicyChanges,
  withPredictedDefaults,
} from "../../validation/admission/changed-namespace-policies.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { asPlanned } from "../planned-pods.ts";
import { labelsAt } from "../scheduling/selectors.ts";

/** A Pod spec as far as qvs knows it, and the part that its template declares. */
export interface AdmittedPod {
  readonly spec: JsonObject;
  readonly declared: JsonObject;
  readonly namespace: string;
}

/**
 * Predicts the fields that admission writes into Pods because of the LimitRanges and RuntimeClasses
 * of this plan.
 * A dry run of a Pod can't show them yet: it uses the live LimitRanges and RuntimeClasses.
 */
export function plannedAdmission(
  plan: Plan,
  facts: Pick<ClusterFacts, "upstreamChanges">,
): (pod: AdmittedPod) => JsonObject {
  const policyChanges = plannedNamespacePolicies(plan, facts);
  const classes = [...facts.upstreamChanges, ...plan.changes]
    .filter(({ id, action }) => id.kind === "RuntimeClass" && action !== "unchanged")
    .map(asPlanned);
  return ({ spec, declared, namespace }) => {
    const pod = { kind: "Pod", annotations: {}, spec, declared, hasAllDefaults: true } as const;
    const limited = withPredictedDefaults(policyChanges(namespace), pod);
    const runtime = classes.find(
      (each) => textAt(each, "metadata", "name") === textAt(declared, "runtimeClassName"),
    );
    return runtime === undefined ? limited : withRuntimeClass(limited, declared, runtime);
  };
}

/** Returns the sample Pods with the predicted fields, by the key of their change. */
export function admittedSamples(
  samples: ReadonlyMap<string, KubeObject>,
  plan: Plan,
  admit: (pod: AdmittedPod) => JsonObject,
): ReadonlyMap<string, KubeObject> {
  const declared = new Map(
    plan.changes.map((change) => [change.key, podSpecOf(asPlanned(change))?.spec]),
  );
  return new Map(
    [...samples].map(([key, sample]) => {
      const spec = (at(sample, "spec") ?? {}) as JsonObject;
      const namespace = textAt(sample, "metadata", "namespace") ?? "";
      const admitted = admit({ spec, declared: declared.get(key) ?? spec, namespace });
      return [key, { ...sample, spec: admitted }];
    }),
  );
}

function withRuntimeClass(spec: JsonObject, declared: JsonObject, runtime: KubeObject): JsonObject {
  const overhead = at(runtime, "overhead", "podFixed");
  const ofRuntime = labelsAt(at(runtime, "scheduling", "nodeSelector"));
  const { overhead: _, ...others } = spec;
  return {
    ...others,
    ...(overhead !== undefined && { overhead }),
    nodeSelector: { ...labelsAt(declared.nodeSelector), ...ofRuntime },
    tolerations: [...listAt(spec, "tolerations"), ...listAt(runtime, "scheduling", "tolerations")],
  };
}

/**
 * Returns the changes to the admission rules of a namespace, by this plan or an earlier deployment.
 * Deletions aren't included, because qvs makes them after all new objects.
 */
export function plannedNamespacePolicies(
  { changes }: Plan,
  { upstreamChanges }: Pick<ClusterFacts, "upstreamChanges">,
): (namespace: string) => readonly NamespacePolicyChange[] {
  const written = [...upstreamChanges, ...changes].filter(
    ({ id, action }) => isNamespacePolicy(id) && action !== "unchanged",
  );
  const byNamespace = Map.groupBy(written, ({ id }) => governedNamespace(id));
  return (namespace) =>
    (byNamespace.get(namespace) ?? []).flatMap(({ live, desired, predicted }) =>
      namespacePolicyChanges(live, desired, predicted),
    );
}

import { readScaler } from "../../model/cluster/scalers.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** An autoscaler of the same deployment, with its limits for the number of replicas. */
export interface ReviewedAutoscaler {
  readonly name: string;
  readonly bounds?: { readonly least: number; readonly most: number } | undefined;
}

/** Returns the autoscaler of the same plan that causes a conflict over replicas. */
export function findAutoscaler(
  { code, subjects = [], about = [] }: Problem,
  plan: Plan | undefined,
): ReviewedAutoscaler | undefined {
  const isOfReplicas = about.some(({ fields }) => fields.includes("spec.replicas"));
  if (code !== "field-conflict" || !isOfReplicas) return undefined;
  for (const { id, desired } of plan?.changes ?? []) {
    const scaler = readScaler(desired);
    if (scaler === undefined || !subjects.includes(nameOf(scaler.target))) continue;
    const { minReplicas, maxReplicas } = scaler;
    return {
      name: nameOf(id),
      ...(maxReplicas === undefined ? {} : { bounds: { least: minReplicas, most: maxReplicas } }),
    };
  }
  return undefined;
}

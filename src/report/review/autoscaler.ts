import { numberAt, textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** One that the same deployment declares, with the replicas between which it chooses. */
export interface Autoscaler {
  readonly name: string;
  readonly bounds?: { readonly least: number; readonly most: number } | undefined;
}

/** Of a conflict over replicas, the autoscaler of the same plan that has set them. */
export function autoscalerOf(
  { code, subjects = [], about = [] }: Problem,
  plan: Plan | undefined,
): Autoscaler | undefined {
  const isOfReplicas = about.some(({ fields }) => fields.includes("spec.replicas"));
  if (code !== "field-conflict" || !isOfReplicas) return undefined;
  const scaler = plan?.changes.find(({ id, desired }) => {
    if (id.kind !== "HorizontalPodAutoscaler") return false;
    const target = (field: string) => textAt(desired, "spec", "scaleTargetRef", field) ?? "";
    return subjects.includes(`${target("kind")} ${id.namespace}/${target("name")}`);
  });
  if (scaler === undefined) return undefined;
  const most = numberAt(scaler.desired, "spec", "maxReplicas");
  const least = numberAt(scaler.desired, "spec", "minReplicas") ?? 1;
  return { name: nameOf(scaler.id), ...(most === undefined ? {} : { bounds: { least, most } }) };
}

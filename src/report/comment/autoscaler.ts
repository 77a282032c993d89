import { at, textAt } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problem.ts";
import { named, nextLine, type Phrase, say } from "../../redaction/phrase.ts";

/** Of a conflict over replicas, the autoscaler of the same plan that has set them. */
export function autoscalerOf({ code, what }: Problem, plan: Plan | undefined): Phrase {
  if (code !== "field-conflict" || !what.includes(": spec.replicas belongs to ")) return [];
  const scaler = plan?.changes.find(({ id, desired }) => {
    if (id.kind !== "HorizontalPodAutoscaler") return false;
    const target = (field: string) => textAt(desired, "spec", "scaleTargetRef", field) ?? "";
    return what.startsWith(`${target("kind")} ${id.namespace}/${target("name")}: `);
  });
  if (scaler === undefined) return [];
  const [least, most] = ["minReplicas", "maxReplicas"].map((each) =>
    at(scaler.desired, "spec", each),
  );
  const bounds =
    typeof most === "number" ? say` (${typeof least === "number" ? least : 1} to ${most})` : [];
  return say`${nextLine}${named(nameOf(scaler.id))} of this deployment sets its replicas${bounds}: leave spec.replicas out of the manifest`;
}

import { deploymentLabel, keepOnDeleteAnnotation, revisionAnnotation } from "./annotations.ts";
import { stages } from "./compilation.ts";
import { appliedBy } from "./managed-fields.ts";
import { annotation, type KubeObject, label } from "./object.ts";
import { fieldManager, type KeptObject } from "./plan.ts";

/**
 * Why a live object that is no longer declared must stay all the same; undefined when it may go. The annotation counts
 * also if it was put there by hand, and the one that it was declared with also if it was lost.
 */
export function protectionOf(
  live: KubeObject,
  deployment: string,
  declaredKey?: string,
): Pick<KeptObject, "why" | "detail"> | undefined {
  const key = annotation(live, keepOnDeleteAnnotation) ?? declaredKey;
  if (key !== undefined) {
    const revision = annotation(live, revisionAnnotation) ?? "0";
    return { why: "keepOnDelete", detail: `key ${key}, revision ${revision}` };
  }
  const owner = label(live, deploymentLabel);
  if (owner !== deployment) {
    const whose = owner === undefined ? "no deployment" : `the deployment ${owner}`;
    return { why: "not ours", detail: `its label ${deploymentLabel} names ${whose}` };
  }
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return managers.some((manager) => appliedBy(live, manager) !== undefined)
    ? undefined
    : { why: "not ours", detail: `neither ${managers.join(" nor ")} applied it any more` };
}

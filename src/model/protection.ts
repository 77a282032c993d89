import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  managedByLabel,
  managedByValue,
  revisionAnnotation,
} from "./annotations.ts";
import { stages } from "./compilation.ts";
import { appliedBy } from "./managed-fields.ts";
import { annotation, type KubeObject, label } from "./object.ts";
import { fieldManager, type KeptObject, type Retirement } from "./plan.ts";

type Protection = Pick<KeptObject, "why" | "detail">;

interface Terms {
  /** The keepOnDelete key that it was declared with. */
  readonly declaredKey?: string | undefined;
  readonly retires?: Retirement | undefined;
}

/**
 * Why a live object that is no longer declared must stay all the same; undefined when it may go. The annotation counts
 * also if it was put there by hand, and the one that it was declared with also if it was lost. `retires` is what the user
 * allowed to go in spite of it: that very key and number, and nothing else.
 */
export function protectionOf(
  live: KubeObject,
  deployment: string,
  { declaredKey, retires }: Terms = {},
): Protection | undefined {
  const key = annotation(live, keepOnDeleteAnnotation) ?? declaredKey;
  const revision = liveRevision(live);
  const isRetired = key === retires?.key && revision === retires?.revision;
  if (key !== undefined && !isRetired) {
    return { why: "keepOnDelete", detail: `key ${key}, revision ${revision}` };
  }
  return foreignness(live, deployment);
}

/** The number of a kept object; without the annotation it counts as 0 (spec §3). */
export function liveRevision(live: KubeObject): string {
  return annotation(live, revisionAnnotation) ?? "0";
}

/** Why an object is not this deployment's; undefined when it is. */
export function foreignness(live: KubeObject, deployment: string): Protection | undefined {
  const owner = label(live, deploymentLabel);
  if (owner !== deployment) {
    const whose = owner === undefined ? "no deployment" : `the deployment ${owner}`;
    return { why: "not ours", detail: `its label ${deploymentLabel} names ${whose}` };
  }
  // We always write it. Whoever applies over our fields may leave the other labels, which it does not know, to us.
  const manager = label(live, managedByLabel);
  if (manager !== undefined && manager !== managedByValue) {
    return { why: "not ours", detail: `its label ${managedByLabel} names ${manager}` };
  }
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return managers.some((manager) => appliedBy(live, manager) !== undefined)
    ? undefined
    : { why: "not ours", detail: `neither ${managers.join(" nor ")} applied it any more` };
}

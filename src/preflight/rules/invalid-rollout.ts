import { type ObjectReference, objectReferences } from "../../model/cluster/object-references.ts";
import { at, fieldOf, isObject, textAt } from "../../model/json.ts";
import { annotation, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { asPlanned } from "../planned-pods.ts";
import { type SpecFlaw, specFlaws } from "../rollouts/spec-flaws.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { labelsAt } from "../scheduling/selectors.ts";

/**
 * Reports Rollouts that their controller rejects as invalid.
 * The API server accepts them, and then their deployment fails immediately.
 */
export function invalidRollout({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return invalidRollouts(plan).flatMap(({ change, flaws }) =>
    flaws.map(({ why, fix, path }) =>
      changeFinding(change, placeOf, {
        code: "invalid-rollout",
        severity: "error",
        what: `${nameOf(change.id)} is invalid, and Argo Rollouts doesn't roll it out`,
        why,
        fix,
        path,
      }),
    ),
  );
}

function isRollout({ group, kind }: Change["id"]): boolean {
  return group === "argoproj.io" && kind === "Rollout";
}

/** Returns the keys of invalid Rollouts, for which other rules report nothing. */
export function invalidRolloutKeys(plan: Plan): ReadonlySet<string> {
  return new Set(invalidRollouts(plan).map(({ change }) => change.key));
}

function invalidRollouts(plan: Plan) {
  return plan.changes.flatMap((change) => {
    if (!isRollout(change.id) || change.action === "unchanged") return [];
    const spec = at(asPlanned(change), "spec");
    const flaws = [...(isObject(spec) ? specFlaws(spec) : []), ...serviceFlaws(change, plan)];
    return flaws.length === 0 ? [] : [{ change, flaws }];
  });
}

function serviceFlaws(change: Change, plan: Plan): readonly SpecFlaw[] {
  const services = rolloutServices(asPlanned(change));
  return [
    ...serviceSelectorFlaws(change, plan, services),
    ...sharedServiceFlaws(change, plan, services),
  ];
}

function rolloutServices(rollout: KubeObject): readonly ObjectReference[] {
  return objectReferences(rollout).filter(({ id }) => id.kind === "Service");
}

/**
 * Checks whether another Rollout manages a Service.
 * The controller records the Rollout on the Service until that Rollout is deleted or no longer
 * names the Service.
 * qvs deletes a previous Rollout only after the new one is ready.
 */
function sharedServiceFlaws(
  { id: { name, namespace } }: Change,
  { changes, deletions }: Plan,
  services: readonly ObjectReference[],
): readonly SpecFlaw[] {
  const isDeleted = (isOther: (id: Change["id"]) => boolean) =>
    deletions.some((each) => isOther(each.id));
  return services.flatMap(({ id, path }) => {
    const live = changes.find(({ key }) => key === keyOf(id))?.live;
    const other = live && annotation(live, managedByAnnotation);
    if (other === undefined || other === name) return [];
    const isOther = (each: Change["id"]) =>
      isRollout(each) && each.name === other && each.namespace === namespace;
    const planned = changes.find((each) => isOther(each.id));
    const isReleased =
      planned !== undefined &&
      !rolloutServices(asPlanned(planned)).some((each) => keyOf(each.id) === keyOf(id));
    return isReleased
      ? []
      : [
          {
            path,
            why: `Service ${id.name} is managed by another Rollout, ${isDeleted(isOther) ? "which qvs deletes only after this one is ready" : "which stays in the cluster"}`,
            fix: "Keep the name of the Rollout, or give it its own Services",
          },
        ];
  });
}

const managedByAnnotation = "argo-rollouts.argoproj.io/managed-by-rollouts";

/**
 * Checks whether the Services select labels of the Rollout's template.
 * The controller adds the label of the version itself.
 */
function serviceSelectorFlaws(
  change: Change,
  { changes }: Plan,
  services: readonly ObjectReference[],
): readonly SpecFlaw[] {
  const rollout = asPlanned(change);
  if (at(rollout, "spec", "workloadRef") !== undefined) return [];
  const own = labelsAt(at(rollout, "spec", "template", "metadata", "labels"));
  return services.flatMap(({ id, path }) => {
    const service = changes.find(({ key }) => key === keyOf(id));
    const selector = labelsAt(at(service && asPlanned(service), "spec", "selector"));
    const other = Object.entries(selector).find(
      ([label, value]) => label !== versionLabel && fieldOf(own, label) !== value,
    );
    if (other === undefined) return [];
    const [label, value] = other;
    return [
      {
        path,
        why: `Service ${id.name} selects the label ${label}: ${value}, which the Pods ${textAt(own, label) === undefined ? "don't have" : "have with another value"}`,
        fix: "Set the Service's selector to labels of the Pod template",
      },
    ];
  });
}

const versionLabel = "rollouts-pod-template-hash";

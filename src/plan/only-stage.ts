import type { InventoryEntry, LiveObjects } from "../model/deployments/release.ts";
import { nameOf } from "../model/object.ts";
import { selectReferences } from "../model/plan/apply-time-reference.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import type { Stage } from "../model/sources/compilation.ts";
import { isProvenUnchanged } from "./changes/compare-with-live.ts";
import type { DesiredObject } from "./declared/objects.ts";
import type { Graph } from "./order/order.ts";

/** A stage that is deployed without the other one. */
export interface OnlyStage {
  readonly stage: Stage;
  /** The declared objects of the other stage, which are neither written nor deleted. */
  readonly others: readonly DesiredObject[];
  /** True if the live objects of the other stage might differ from their declaration. */
  readonly othersPending: boolean;
}

/** The declared objects that are deployed. */
export interface ChosenObjects {
  readonly objects: readonly DesiredObject[];
  readonly only: OnlyStage | undefined;
}

/**
 * Chooses the objects of one stage, or all objects without `stage`.
 * Dependencies in the other stage must be live, because this run only waits for them. A value that
 * only their live objects have can't be filled in.
 */
export function chooseStage(
  stage: Stage | undefined,
  all: { readonly deployment: string; readonly objects: readonly DesiredObject[] },
  edges: Graph,
  live: LiveObjects,
): Result<ChosenObjects> {
  if (stage === undefined) return ok({ objects: all.objects, only: undefined });
  const objects = all.objects.filter((object) => object.stage === stage);
  const others = all.objects.filter((object) => object.stage !== stage);
  const problems = [
    ...objects.flatMap((object) => missingDependencies(object, others, edges, live)),
    ...objects.flatMap((object) => unresolvedReferences(object, others)),
  ];
  if (problems.length > 0) return failed(problems);
  const othersPending = others.some((other) => {
    const found = live.get(other.key);
    return found === undefined || !isProvenUnchanged(all.deployment, other, found);
  });
  return ok({ objects, only: { stage, others, othersPending } });
}

/**
 * Returns why an undeclared object is kept if only one stage is deployed; undefined if it can be
 * deleted.
 * Objects are deleted when everything new is ready (docs/reference/deployment.md#deletion). A run
 * of one stage knows this of appSetup only if appSetup has no pending change.
 */
export function stageSkipReason(
  only: OnlyStage | undefined,
  entry: InventoryEntry,
): string | undefined {
  if (only === undefined) return undefined;
  if (entry.stage !== only.stage) return `only ${only.stage} is deployed`;
  if (only.stage === "appSetup") return "app isn't deployed now and might still use it";
  return only.othersPending ? "appSetup isn't deployed now and has pending changes" : undefined;
}

function missingDependencies(
  object: DesiredObject,
  others: readonly DesiredObject[],
  edges: Graph,
  live: LiveObjects,
): readonly Problem[] {
  return (edges.get(object.key) ?? []).flatMap(({ on, reason }) => {
    const other = others.find(({ key }) => key === on);
    if (other === undefined || live.has(on)) return [];
    return [
      {
        code: "dependency-not-found",
        subjects: [nameOf(object.id)],
        what: `${nameOf(object.id)} needs ${nameOf(other.id)}, which doesn't exist`,
        why: `Only ${object.stage} is deployed, and ${nameOf(other.id)} is in ${other.stage}`,
        facts: [{ label: "dependency", value: reason }],
        fix: `Deploy ${other.stage} first`,
        otherwise: ["deploy both stages without --only-stage"],
        where: declarationPlaces(object, other),
      },
    ];
  });
}

/**
 * Returns an error if the object takes a value from a live object of the other stage.
 * qvs reads such values only from objects that this run applies or finds unchanged.
 */
function unresolvedReferences(
  desired: DesiredObject,
  others: readonly DesiredObject[],
): readonly Problem[] {
  const keys = new Set(others.map(({ key }) => key));
  const found = desired.applyTimeReferences
    .flatMap(({ pieces }) => selectReferences(pieces))
    .find(({ on }) => keys.has(on));
  if (found === undefined) return [];
  return [
    {
      code: "unresolved-reference",
      subjects: [nameOf(desired.id)],
      what: `${nameOf(desired.id)}: $(ref.${found.text}) refers to an object of the other stage`,
      why: "qvs reads live values only from objects that this run deploys",
      fix: "Deploy both stages without --only-stage",
      where: declarationPlaces(desired),
    },
  ];
}

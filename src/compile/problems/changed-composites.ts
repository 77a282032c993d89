import type { Problem } from "../../model/problems/problem.ts";
import type { Cue, CueValue } from "../../ports/cue.ts";
import type { Adapter } from "../load-adapter.ts";
import { distinctPlaces } from "../positions.ts";

/**
 * Rejects `composites` that depend on the resources of composites. qvs composes each composite
 * once, before `resources` contains their resources, so the later ones would be missing.
 */
export function changedCompositesProblems(
  bound: CueValue,
  composed: CueValue,
  use: Adapter,
  cue: Cue,
): readonly Problem[] {
  if (composed === bound) return [];
  const [before, after] = [bound, composed].map((each) => cue.lookup(each, ["composites"]));
  if (after === undefined || isUnchanged(before, after, cue)) return [];
  return [
    {
      code: "invalid-composite",
      where: distinctPlaces(cue.position(after), use.where),
      what: `composites of "${use.pattern}" depends on resources`,
      why: "qvs composes all composites before it evaluates resources",
      fix: "Make composites depend only on parameters",
      otherwise: ["add the resources in `defer`"],
    },
  ];
}

function isUnchanged(before: CueValue | undefined, after: CueValue, cue: Cue): boolean {
  if (before === undefined) return false;
  if (cue.same(before, after)) return true;
  const [old, all] = [cue.elements(before), cue.elements(after)];
  // Without elements, the list itself can have an error.
  if (all.length === 0 || old.length !== all.length) return false;
  return all.every((element, index) => isSameComposite(old[index] as CueValue, element, cue));
}

/** Compares the fields of a composite that qvs uses, so without `pipelineParams`. */
function isSameComposite(before: CueValue, after: CueValue, cue: Cue): boolean {
  return ["pattern", "params", "group"].every((field) => {
    const [old, current] = [before, after].map((each) => cue.lookup(each, [field]));
    if (old === undefined || current === undefined) return old === current;
    return cue.same(old, current);
  });
}

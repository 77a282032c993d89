import type { Problem } from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import { closest } from "../../model/text/suggest.ts";
import type { Cue, CueField, CueValue } from "../../ports/cue.ts";
import type { Adapter } from "../load-adapter.ts";
import { distinctPlaces } from "../positions.ts";
import { unsetProblem } from "./stage-problems.ts";

/**
 * Reports declarations that qvs wouldn't read (docs/reference/adapters.md#incomplete-adapters): an
 * unknown stage, a misspelled field, or a struct instead of a list.
 * CUE accepts them, and the resources would be missing without an error. Conditions can add them,
 * so `value` is the adapter before and after each step of its composition.
 */
export function shapeProblems(value: CueValue, adapter: Adapter, cue: Cue): readonly Problem[] {
  const fields = cue.fields(value);
  return [
    ...misspelledFields(fields, adapter),
    ...fields.flatMap((field) => {
      if (field.required && essentialFields.includes(field.name)) {
        return unsetProblem(field, "DesignPattern", adapter);
      }
      if (field.name === "composites") return listProblem(field, adapter);
      return field.name === "resources" || field.name === "defer"
        ? stageShapeProblems(field, adapter, cue)
        : [];
    }),
  ];
}

/** The fields that decide which objects are deployed. */
const essentialFields = ["resources", "composites", "defer", "parameters", "health", "group"];

/**
 * All known fields of adapters. Some are for other tools, and their names can resemble the deciding
 * fields.
 */
const knownFields = [...essentialFields, "name", "description", "pipelines", "pipelineParameters"];

function misspelledFields(fields: readonly CueField[], adapter: Adapter): readonly Problem[] {
  return fields.flatMap(({ name, position }) => {
    const meant = knownFields.includes(name) ? undefined : closest(name, essentialFields);
    if (meant === undefined) return [];
    return [
      {
        code: "unknown-field",
        where: distinctPlaces(position, adapter.where),
        what: `Adapter "${adapter.pattern}" has the unknown field "${name}"`,
        fix: `Did you mean "${meant}"?`,
      },
    ];
  });
}

function listProblem({ kind, position }: CueField, adapter: Adapter): readonly Problem[] {
  if (kind.includes("list") || kind.includes("_|_") || kind === "_") return [];
  const what = `Adapter "${adapter.pattern}": composites isn't a list`;
  const fix = "Write composites: [{pattern: PACKAGE.DesignPattern, params: {…}}]";
  return [{ code: "invalid-composite", where: distinctPlaces(position, adapter.where), what, fix }];
}

function stageShapeProblems(field: CueField, adapter: Adapter, cue: Cue): readonly Problem[] {
  if (!/struct|_/.test(field.kind)) {
    const what = `Adapter "${adapter.pattern}": ${field.name} isn't a struct`;
    const where = distinctPlaces(field.position, adapter.where);
    return [
      { code: "invalid-object", where, what, fix: `Write ${field.name}: app: ID: {kind: …}` },
    ];
  }
  return cue.fields(field.value).flatMap(({ name, kind, position }): Problem[] => {
    const where = distinctPlaces(position, adapter.where);
    const known = stages.some((stage) => stage === name);
    if (known && /struct|_/.test(kind)) return [];
    if (known) {
      const what = `Adapter "${adapter.pattern}": ${field.name}.${name} isn't a struct`;
      return [
        {
          code: "invalid-object",
          where,
          what,
          fix: "Give every resource in it an id: ID: {kind: …}",
        },
      ];
    }
    const meant = closest(name, stages);
    const what = `Adapter "${adapter.pattern}": ${field.name} has the unknown stage "${name}"`;
    const fix =
      meant === undefined
        ? `Use one of the stages: ${stages.map((stage) => `${field.name}.${stage}`).join(" or ")}`
        : `Did you mean "${meant}"?`;
    return [{ code: "unknown-field", where, what, fix }];
  });
}

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

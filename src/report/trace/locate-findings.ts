import { groupOf, keyOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { distinct, isInRepository, type Position } from "../../model/problems/problem.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import type { FieldTrace } from "../../model/sources/trace.ts";
import { type ParameterChain, parameterChain } from "./parameter-chain.ts";

/**
 * Returns the findings with the place of the field that causes them instead of the object's place.
 * The places are the argument behind the field, if there is exactly one, and the line of the
 * adapter. A field without a trace keeps the object's place.
 */
export function locateFindings(
  findings: readonly Finding[],
  { changes }: Plan,
  compilation: Compilation,
): readonly Finding[] {
  const traced = new Map(compilation.trace?.map(({ resource, fields }) => [resource, fields]));
  const resources = new Map(
    changes.map(({ key, stage, resource }) => [key, `${stage}/${resource}`] as const),
  );
  return findings.map((finding) => {
    const { object, path = [] } = finding;
    const key = keyOf({ ...object, group: groupOf(object.apiVersion) });
    const fields = traced.get(resources.get(key) ?? "") ?? [];
    const places = fieldPlaces(findField(path, fields), compilation);
    if (places.length === 0) return finding;
    // A reader of the repository needs a line of it.
    const isElsewhere = places.every(({ file }) => !isInRepository(file));
    const own = finding.where.filter(({ file }) => isElsewhere && isInRepository(file));
    return { ...finding, where: [...own, ...places] };
  });
}

/** Returns the field, or the first field in it. */
function findField(path: readonly string[], fields: readonly FieldTrace[]): FieldTrace | undefined {
  if (path.length === 0) return undefined;
  return fields.find((field) => path.every((step, index) => field.path[index] === step));
}

function fieldPlaces(field: FieldTrace | undefined, { layout }: Compilation): readonly Position[] {
  const origins = field?.origins ?? [];
  const given = origins.flatMap(({ node, made }) =>
    made.flatMap(({ name }) => outermost(parameterChain(layout, node, name))),
  );
  const made = distinct(given);
  // A trace can name too many arguments. With several, the one to change is unknown.
  return distinct([...(made.length === 1 ? made : []), ...origins.flatMap(({ at }) => at)]);
}

function outermost({ source, from }: ParameterChain): readonly Position[] {
  const further = from.flatMap(outermost);
  if (further.length > 0) return further;
  return source?.at === undefined ? [] : [source.at];
}

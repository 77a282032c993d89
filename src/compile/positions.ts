import type { Position, Problem } from "../model/problems/problem.ts";
import type { Config, ValuePlace } from "../model/sources/config.ts";
import type { SourcedJson } from "../ports/cue.ts";

/**
 * Returns the places of one problem with each line once. CUE often names several columns of a line.
 */
export function distinctPlaces(...positions: readonly (Position | undefined)[]): Position[] {
  const seen = new Map<string, Position>();
  for (const position of positions) {
    if (position === undefined) continue;
    const line = `${position.file}:${position.line}`;
    if (!seen.has(line)) seen.set(line, position);
  }
  return [...seen.values()];
}

/**
 * Adds the line of the params file that provided a value to problems at a line of the config.
 * CUE knows only one place per value, so all parts of an object from a params file have the place
 * of its first line.
 */
export function withParamPlaces(
  problems: readonly Problem[],
  { designPatterns, inputs = [] }: Config,
): readonly Problem[] {
  const params = designPatterns.flatMap((use) => use.params);
  const objects = inputs.flatMap((input) => input.objects);
  const given = new Map<string, readonly Position[]>();
  for (const { where, given: found } of [...params, ...objects].flatMap((e) => e.places ?? [])) {
    if (found.length > 0 && !given.has(positionKey(where))) given.set(positionKey(where), found);
  }
  return problems.map((problem) => {
    const files = new Set(problem.where.map(({ file }) => file));
    const where = problem.where.flatMap((position) => {
      const found = given.get(positionKey(position)) ?? [];
      return [position, ...found.filter(({ file }) => !files.has(file))];
    });
    return { ...problem, where: distinctPlaces(...where) };
  });
}

/**
 * Returns the place where a part of an argument is written, and the places in params files that
 * provide it. If the part has no place, the result is for the nearest surrounding part.
 */
export function argumentPlaces(
  param: SourcedJson | undefined,
  path: readonly string[],
): readonly Position[] {
  if (param === undefined) return [];
  let nearest: ValuePlace | undefined;
  for (const place of param.places ?? []) {
    const isAround = place.path.every((step, index) => step === path[index]);
    if (isAround && place.path.length >= (nearest?.path.length ?? 0)) nearest = place;
  }
  return nearest === undefined ? [param.where] : [nearest.where, ...nearest.given];
}

function positionKey({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

import type { Config, ValuePlace } from "../model/config.ts";
import type { Position, Problem } from "../model/problems/problem.ts";
import type { SourcedJson } from "../ports/cue.ts";
import { places } from "./places.ts";

/**
 * Problems at a line of the config also name the line of the params file that gave the value. CUE knows only one place
 * of a value, so all parts of a map from a params file have the place of its beginning.
 */
export function withGivenPlaces(
  problems: readonly Problem[],
  { designPatterns }: Config,
): readonly Problem[] {
  const params = designPatterns.flatMap((use) => use.params);
  const given = new Map<string, readonly Position[]>();
  for (const { where, given: found } of params.flatMap((param) => param.places ?? [])) {
    if (found.length > 0 && !given.has(keyOf(where))) given.set(keyOf(where), found);
  }
  return problems.map((problem) => {
    const files = new Set(problem.where.map(({ file }) => file));
    const where = problem.where.flatMap((position) => {
      const found = given.get(keyOf(position)) ?? [];
      return [position, ...found.filter(({ file }) => !files.has(file))];
    });
    return { ...problem, where: places(...where) };
  });
}

/** Where a part of a param is written, and where a params file gives it; the nearest part around it that has a place. */
export function placesWithin(
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

function keyOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

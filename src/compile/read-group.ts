import { failed, ok, type Position, type Result } from "../model/problem.ts";
import type { Cue, CueValue } from "../ports.ts";
import { places } from "./places.ts";

/**
 * The group that an element of `composites` or an adapter itself gives; undefined for none and for "". One that has no value
 * yet is a problem: without it, ids would meet those of others.
 */
export function readGroup(
  value: CueValue,
  title: string,
  where: Position,
  cue: Cue,
): Result<string | undefined> {
  const field = cue.fields(value).find(({ name, optional }) => name === "group" && !optional);
  if (field === undefined) return ok(undefined);
  const exported = cue.export(field.value);
  if (exported.ok && typeof exported.value === "string") return ok(exported.value || undefined);
  return failed([
    {
      where: places(field.position, where),
      what: `${title} is no text`,
      fix: "Give the param that it is made from, or write a name",
    },
  ]);
}

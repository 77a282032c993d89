import { type Json, sameJson } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";

/**
 * Reports whether an empty object or list is declared. The API server stores nothing at the first
 * write, and an empty value at the next. It can accept one and reject the other.
 */
export function declaresEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inner = Object.values(value);
  return inner.length === 0 || inner.some((each) => each !== undefined && declaresEmpty(each));
}

export function isOnlyEmptied({ live, predicted }: Change): boolean {
  const content = (object: KubeObject | undefined) =>
    withoutEmpty({ ...object, metadata: null } as Json) ?? null;
  return sameJson(content(live), content(predicted));
}

function withoutEmpty(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const rest = inner === undefined ? undefined : withoutEmpty(inner);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

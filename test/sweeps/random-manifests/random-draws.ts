import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { fc } from "../../support/fast-check.ts";

/** Random numbers that select an object, a place and a value. */
export interface Draw {
  readonly object: number;
  readonly place: number;
  readonly value: number;
}

export type Steps = readonly (string | number)[];

export interface Place {
  readonly steps: Steps;
  readonly value: Json;
}

const number = fc.nat({ max: 10_000 });
export const drawn: fc.Arbitrary<Draw> = fc.record({
  object: number,
  place: number,
  value: number,
});

export function pick<T>(all: readonly T[], by: number): T | undefined {
  return all[by % all.length];
}

/** Returns a random place in an object that users can change. */
export function chosenPlace(
  objects: readonly KubeObject[],
  draw: Draw,
): { readonly object: KubeObject; readonly at: Place } | undefined {
  const object = pick(objects.filter(isEdited), draw.object);
  const at = object && pick(placesIn(object, []).filter(isEditable), draw.place);
  return object === undefined || at === undefined ? undefined : { object, at };
}

/** Reports whether the kind affects only this test. */
function isEdited({ kind }: KubeObject): boolean {
  return !/^Validating|^Mutating|^FlowSchema$|^PriorityLevel|^APIService$|^Namespace$/.test(kind);
}

/**
 * Reports whether a field can be edited. Separate edits change names and kinds, and a default class
 * would affect all tests.
 */
function isEditable({ steps }: Place): boolean {
  return !/^(apiVersion|kind|status|metadata|metadata\.(name|namespace)|globalDefault)(\.|$)/.test(
    steps.length === 1 ? String(steps[0]) : steps.slice(0, 2).join("."),
  );
}

function placesIn(value: Json, steps: Steps): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  const inner: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return inner.flatMap(([step, item]) => {
    const path = [...steps, step];
    return [{ steps: path, value: item }, ...placesIn(item, path)];
  });
}

export function write(object: KubeObject, steps: Steps, value: Json | undefined): void {
  const last = steps.at(-1) ?? "";
  const parent = steps
    .slice(0, -1)
    .reduce<Json>((at, step) => (at as Record<string | number, Json>)[step] ?? null, object);
  if (typeof parent !== "object" || parent === null) return;
  if (value !== undefined) Object.assign(parent, { [last]: value });
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<string | number, Json>)[last];
}

/**
 * Returns another value of the same type. Numbers stay small, because the cluster creates the
 * replicas.
 */
export function otherValue(value: Json, by: number): Json {
  if (typeof value === "number") return pick([value + 1, 0, -1, value + 0.5], by) ?? 0;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") return pick([`${value}-x`, ...texts], by) ?? "";
  if (isObject(value)) return pick([{}, { ...value, [pick(keys, by) ?? ""]: "x" }], by) ?? {};
  return [];
}

/** Returns a similar item with another name, port or string. */
export function anotherItem(item: Json, by: number): Json {
  if (!isObject(item)) return otherValue(item, by);
  const key = listKeys.find((each) => each in item);
  const value = key && item[key];
  if (key === undefined || value === undefined) return { ...item, name: "another" };
  const other = typeof value === "number" ? value + 1 + (by % 7) : `${value}-${by % 7}`;
  return { ...item, [key]: other };
}

/** The merge keys of most lists in Kubernetes, the most common first. */
export const listKeys: readonly string[] = [
  ...["name", "containerPort", "port", "mountPath", "topologyKey", "key", "ip", "type", "uid"],
];

export const keys = ["team", "example.com/team", "Not a key", "kubernetes.io/hostname"];
export const texts = ["", "other", "UPPER_case", "12", "1e3", "0.5", "a b", "ü"];

/**
 * Shortens a value for the log of a failed test. A CustomResourceDefinition can have thousands of
 * fields.
 */
export function short(value: Json | JsonObject): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

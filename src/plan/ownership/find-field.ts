import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { scalarTexts } from "../../model/plan/apply-time-reference.ts";
import type { Fact } from "../../model/problems/problem.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { objectSecrets } from "../../redaction/sensitive-values.ts";
import { declaredIndex, keyFields } from "../../ssa/list-items.ts";
import type { OwnedFields } from "../../ssa/managed-fields.ts";

/** A field that the API server names in a conflict, with its value in an object. */
export interface FoundField {
  /**
   * The path as in `ignore-changes`: dots for fields, `[i]` for list items, `["a.b/c"]` for keys
   * with dots.
   */
  readonly path: string;
  readonly value: Json | undefined;
}

/**
 * Finds a field by a path such as `.spec.template.spec.containers[name="web"].image`.
 * Keys aren't quoted in such a path (`.metadata.labels.app.kubernetes.io/name`), so only the object
 * shows where a key ends.
 */
export function findField(object: Json, serverPath: string): FoundField {
  let rest = serverPath.startsWith(".") ? serverPath : `.${serverPath}`;
  let value: Json | undefined = object;
  let path = "";
  while (rest !== "") {
    const step: FoundStep = rest.startsWith("[") ? itemStep(value, rest) : fieldStep(value, rest);
    if (step.length === 0) return { path: `${path}${rest}`.replace(/^\./, ""), value: undefined };
    path += step.text;
    value = step.value;
    rest = rest.slice(step.length);
  }
  return { path: path.replace(/^\./, ""), value };
}

interface FoundStep {
  /** The length of the step in the API server's path; 0 if it leads nowhere. */
  readonly length: number;
  readonly text: string;
  readonly value: Json | undefined;
}

const noStep: FoundStep = { length: 0, text: "", value: undefined };

function fieldStep(value: Json | undefined, rest: string): FoundStep {
  if (!isObject(value)) return noStep;
  const field = Object.keys(value)
    .filter((name) => rest.startsWith(`.${name}`) && /^([.[]|$)/.test(rest.slice(name.length + 1)))
    .toSorted((a, b) => b.length - a.length)[0];
  if (field === undefined) return noStep;
  const text = /^[\w-]+$/.test(field) ? `.${field}` : `["${field}"]`;
  return { length: field.length + 1, text, value: fieldOf(value, field) };
}

function itemStep(value: Json | undefined, rest: string): FoundStep {
  const end = closingBracket(rest);
  if (!isList(value) || end < 0) return noStep;
  const index = itemIndex(toManagedKey(rest.slice(1, end)), value);
  if (index < 0) return noStep;
  return { length: end + 1, text: `[${index}]`, value: value[index] };
}

/**
 * Returns the index of the item with a key; -1 if there is none.
 * An item whose key field is misspelled has none of the key fields, and the API server uses their
 * defaults.
 */
function itemIndex(key: string, items: readonly Json[]): number {
  const found = declaredIndex(key, items);
  const names = Object.keys(keyFields(key));
  if (found >= 0 || names.length === 0) return found;
  const isWithout = (item: Json) =>
    isObject(item) && names.every((name) => !Object.hasOwn(item, name));
  return items.filter(isWithout).length === 1 ? items.findIndex(isWithout) : -1;
}

/**
 * Converts a key such as `name="web"` or `containerPort=80,protocol="TCP"` to the form in
 * managedFields.
 * `="x"` stands for the item itself in a set.
 */
function toManagedKey(text: string): string {
  const pairs = [...text.matchAll(/(?<=^|,)([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(
    ([, key = "", raw = ""]) => [key, parseValue(raw)] as const,
  );
  const [only] = pairs;
  if (only?.[0] === "") return `v:${JSON.stringify(only[1])}`;
  return pairs.length === 0 ? "" : `k:${JSON.stringify(Object.fromEntries(pairs))}`;
}

/** Returns the index of the first `]` outside quotes; -1 if there is none. */
function closingBracket(text: string): number {
  const match = /^\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]/.exec(text);
  return match === null ? -1 : match[0].length - 1;
}

function parseValue(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw;
  }
}

/**
 * Describes a field manager with the facts of the live object.
 * Example: `"painter" (Apply, since 2024-05-01T12:00:00Z)`.
 */
export function describeOwner({
  manager,
  operation = "",
  subresource = "",
  time = "",
}: Pick<OwnedFields, "manager"> & Partial<OwnedFields>): string {
  const facts = [
    `${operation}${subresource === "" ? "" : ` ${subresourceText(subresource)}`}`.trim(),
    time === "" ? "" : `since ${time}`,
  ].filter((fact) => fact !== "");
  return `"${manager}"${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/**
 * Describes a write through a subresource.
 * Autoscalers, and users with kubectl, change a number of replicas through `scale`.
 */
function subresourceText(subresource: string): string {
  return subresource === "scale"
    ? "through the scale subresource, like an autoscaler or kubectl scale"
    : `through the subresource ${subresource}`;
}

/** A declared field that another field manager set to another value. */
interface ConflictingField {
  readonly path: string;
  /** The values in the cluster and in the manifest, as JSON; empty if they must not be shown. */
  readonly values: readonly Fact[];
}

/**
 * Compares the live value with the declared one.
 * It shows no values of a Secret, and live values only of this deployment's own objects. A live
 * value that can be a secret is hidden, unless the manifest contains it.
 */
export function conflictingField(
  object: KubeObject,
  live: KubeObject | "not ours" | undefined,
  { field }: { readonly field: string },
): ConflictingField {
  const { path, value } = findField(object, field);
  if (canContainSecrets(object) || live === "not ours") return { path, values: [] };
  const found = live === undefined ? undefined : findField(live, field).value;
  const isHidden = live !== undefined && containsSecretOf(live, found ?? null, object);
  const [before, after] = [isHidden ? "(hidden)" : JSON.stringify(found), JSON.stringify(value)];
  return {
    path,
    values: [
      { label: "cluster", value: before ?? "(not set)" },
      { label: "manifest", value: after ?? "(not set)" },
    ],
  };
}

function containsSecretOf(live: KubeObject, value: Json, declared: KubeObject): boolean {
  const secrets = new Set(objectSecrets(live, new Set(scalarTexts(declared))));
  return secrets.size > 0 && scalarTexts(value).some((text) => secrets.has(text));
}

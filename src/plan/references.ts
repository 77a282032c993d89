import type { Manifest } from "../model/compilation.ts";
import { at, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { declaredAt, failed, ok, type Problem, type Result } from "../model/problem.ts";
import { type PathStep, parsePath } from "./ignore-paths.ts";

/**
 * The manifests with every `$(ref.ID.PATH)` and `${id.path}` replaced (spec §2) by what the other resource declares at
 * that path, which is what the cluster will hold once it is deployed. A value that only the cluster makes, such as an
 * address in `status`, can't be known before: that is a problem, since the text itself must never be sent.
 */
export function resolveReferences(manifests: readonly Manifest[]): Result<readonly Manifest[]> {
  const problems: Problem[] = [];
  const budget = { left: mostReferences };
  const resolved = manifests.map((manifest) => {
    const find = finderFor(manifest, manifests, budget);
    const unknown = new Set<string>();
    const object = replaceIn(manifest.object, find, unknown) as JsonObject;
    problems.push(...[...unknown].toSorted().map((text) => unknownValue(manifest, text)));
    return { ...manifest, object };
  });
  return problems.length > 0 ? failed(problems) : ok(resolved);
}

/** What a reference stands for: a value, or no reference at all, or one whose value nobody knows. */
type Found = { readonly value: Json } | "text" | "unknown";
type Find = (reference: Reference, depth?: number) => Found;

interface Reference {
  /** Id and path. */
  readonly inner: string;
  /** `${…}` is a reference only if it names a resource: shell scripts are full of such text. */
  readonly certain: boolean;
}

const referencePattern = /\$\(ref\.([^()]+)\)|(?<!\$)\$\{([^{}]+)\}/g;

/** A chain of references longer than this is one that comes back to itself. */
const longestChain = 8;

/** Lists of references to lists of references could otherwise grow beyond any memory. */
const mostReferences = 10_000;

function finderFor(manifest: Manifest, all: readonly Manifest[], budget: { left: number }): Find {
  const find: Find = ({ inner, certain }, depth = 0) => {
    // Ids may hold dots themselves, so the longest one that fits is meant.
    const id = manifest.dependsOn
      .filter((candidate) => inner === candidate || /^[.[]/.test(after(inner, candidate)))
      .toSorted((a, b) => b.length - a.length)[0];
    if (id === undefined) return certain ? "unknown" : "text";
    const same = all.filter((other) => other.id === id);
    const target = same.find((other) => other.stage === manifest.stage) ?? same[0];
    const steps = parsePath(after(inner, id));
    if (target === undefined || steps === undefined || steps.length === 0) return "unknown";
    const value = valueAt(target.object, steps);
    budget.left -= 1;
    if (value === undefined || depth > longestChain || budget.left < 0) return "unknown";
    const unknown = new Set<string>();
    const inTarget = finderFor(target, all, budget);
    const settled = replaceIn(value, (reference) => inTarget(reference, depth + 1), unknown);
    return unknown.size > 0 ? "unknown" : { value: settled };
  };
  return find;
}

function after(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : "";
}

/** Adapters sometimes write a `status`, but it is never sent: the cluster makes its own. */
function valueAt(object: JsonObject, steps: readonly PathStep[]): Json | undefined {
  const [first] = steps;
  if (first?.type === "field" && first.name === "status") return undefined;
  let value: Json | undefined = object;
  for (const step of steps) {
    if (step.type === "field") value = at(value, step.name);
    else value = isList(value) && step.type === "index" ? value[step.index] : undefined;
  }
  return value;
}

function replaceIn(value: Json, find: Find, unknown: Set<string>): Json {
  if (typeof value === "string") return replaceInText(value, find, unknown);
  if (isList(value)) return value.map((item) => replaceIn(item, find, unknown));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, inner]) => [name, replaceIn(inner, find, unknown)]));
}

/** A reference that is the whole text keeps the type of its value; inside text only scalars make sense. */
function replaceInText(text: string, find: Find, unknown: Set<string>): Json {
  let whole: Json | undefined;
  const replaced = text.replaceAll(
    referencePattern,
    (match, certain?: string, perhaps?: string) => {
      const inner = certain ?? perhaps ?? "";
      const found = find({ inner, certain: certain !== undefined });
      if (found === "text") return match;
      const isWhole = match === text;
      if (found === "unknown" || (!isWhole && isComposed(found.value))) {
        unknown.add(match);
        return match;
      }
      if (isWhole) whole = found.value;
      return String(found.value);
    },
  );
  return whole ?? replaced;
}

function isComposed(value: Json): boolean {
  return isList(value) || isObject(value) || value === null;
}

function unknownValue(manifest: Manifest, text: string): Problem {
  const { stage, id } = manifest;
  return {
    what: `Resource ${stage}/${id} refers to ${text}, which no Kubernetes resource of this deployment declares`,
    fix: "Refer to a field that the other resource declares, or give the value by a parameter: values that only the cluster or another provider makes aren't supported yet",
    where: declaredAt(manifest),
  };
}

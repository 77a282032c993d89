import type { Manifest } from "../model/compilation.ts";
import { at, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { declaredAt, failed, ok, type Problem, type Result } from "../model/problem.ts";
import { referencePieces, resolveReference } from "../model/reference-text.ts";
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
    const pulumi = isPulumi(manifest);
    const object = replaceIn(manifest.object, { find, pulumi, unknown }) as JsonObject;
    problems.push(...[...unknown].toSorted().map((text) => unknownValue(manifest, text)));
    return { ...manifest, object };
  });
  return problems.length > 0 ? failed(problems) : ok(resolved);
}

/** What a reference stands for, where anybody knows. */
type Found = { readonly value: Json } | "unknown";
type Find = (inner: string, depth?: number) => Found;

/** A chain of references longer than this is one that comes back to itself. */
const longestChain = 8;

/** Lists of references to lists of references could otherwise grow beyond any memory. */
const mostReferences = 10_000;

function finderFor(manifest: Manifest, all: readonly Manifest[], budget: { left: number }): Find {
  const find: Find = (inner, depth = 0) => {
    const reference = resolveReference(inner, manifest.id, manifest.dependsOn);
    const same = all.filter((other) => other.id === reference?.id);
    const target = same.find((other) => other.stage === manifest.stage) ?? same[0];
    const steps = parsePath(reference?.path ?? "");
    if (target === undefined || steps === undefined || steps.length === 0) return "unknown";
    const value = valueAt(target.object, steps);
    budget.left -= 1;
    if (value === undefined || depth > longestChain || budget.left < 0) return "unknown";
    const unknown = new Set<string>();
    const inTarget = finderFor(target, all, budget);
    const findThere: Find = (further) => inTarget(further, depth + 1);
    const settled = replaceIn(value, { find: findThere, pulumi: isPulumi(target), unknown });
    return unknown.size > 0 ? "unknown" : { value: settled };
  };
  return find;
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

interface Replacing {
  readonly find: Find;
  readonly pulumi: boolean;
  /** Gathers what has no value. */
  readonly unknown: Set<string>;
}

function isPulumi({ pulumi }: Manifest): boolean {
  return pulumi === true;
}

function replaceIn(value: Json, replacing: Replacing): Json {
  if (typeof value === "string") return replaceInText(value, replacing);
  if (isList(value)) return value.map((item) => replaceIn(item, replacing));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  // `fn::invoke` and its like are computed by Pulumi; nobody else can.
  const [called] = replacing.pulumi ? fields.filter(([name]) => name.startsWith("fn::")) : [];
  if (called !== undefined) replacing.unknown.add(called[0]);
  return Object.fromEntries(fields.map(([name, inner]) => [name, replaceIn(inner, replacing)]));
}

/** A reference that is the whole text keeps the type of its value; inside text only scalars make sense. */
function replaceInText(text: string, { find, pulumi, unknown }: Replacing): Json {
  const pieces = referencePieces(text, pulumi);
  const values = pieces.map((piece) => {
    if (piece.type === "text") return piece.text;
    const found = find(piece.inner);
    if (found !== "unknown" && (pieces.length === 1 || !isComposed(found.value)))
      return found.value;
    unknown.add(piece.written);
    return piece.written;
  });
  return values.length === 1 ? (values[0] as Json) : values.join("");
}

function isComposed(value: Json): boolean {
  return isList(value) || isObject(value) || value === null;
}

function unknownValue(manifest: Manifest, text: string): Problem {
  const { stage, id } = manifest;
  if (text.startsWith("fn::")) {
    return {
      what: `Resource ${stage}/${id} calls ${text}, which only Pulumi can do`,
      fix: "Write the value itself, or give it by a parameter",
      where: declaredAt(manifest),
    };
  }
  return {
    what: `Resource ${stage}/${id} refers to ${text}, which no Kubernetes resource of this deployment declares`,
    fix: "Refer to a field that the other resource declares, or give the value by a parameter: values that only the cluster or another provider makes aren't supported yet",
    where: declaredAt(manifest),
  };
}

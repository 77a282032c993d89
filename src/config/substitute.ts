import { isList, type Json } from "../model/json.ts";
import type { Position, Problem, UnplacedProblem } from "../model/problems/problem.ts";
import type { ValuePlace } from "../model/sources/config.ts";
import {
  sourcePositions,
  type YamlEntry,
  type YamlNode,
  type YamlScalar,
} from "../model/sources/yaml-node.ts";
import {
  findLookalikes,
  findParamReferences,
  type ParamReference,
  soleReference,
} from "./param-references.ts";
import { listValuePlaces } from "./value-places.ts";

/** The values of the references in a config. */
export interface Scope {
  /**
   * Returns the value of the parameter. If it has none, the method reports the reason and returns
   * undefined.
   */
  lookup(name: string, where: Position): Json | undefined;
  declares(name: string): boolean;
  /**
   * Returns the value from a params file; undefined for an inline value, and for a parameter
   * without a value.
   */
  given(name: string): YamlNode | undefined;
  report(problem: Problem): void;
}

export interface Substituted {
  readonly value: Json;
  /** The places of all parts of the value, outer parts before inner ones. */
  readonly places: readonly ValuePlace[];
  /** The parameters that the value was made from, in the order of their first use. */
  readonly from: readonly string[];
}

/**
 * Returns `node` with every `$(params.…)` replaced (docs/reference/qvs-yaml.md#references).
 * References in inserted values aren't replaced. `at` is the place to report for the value.
 */
export function substitute(node: YamlNode, scope: Scope, at = node.where): Substituted {
  const from = new Set<string>();
  const recording: Scope = {
    report: (problem) => scope.report(problem),
    declares: (name) => scope.declares(name),
    given: (name) => scope.given(name),
    lookup(name, where) {
      from.add(name);
      return scope.lookup(name, where);
    },
  };
  const value = replace(node, recording);
  return { value, from: [...from], places: listValuePlaces(node, at, scope) };
}

function replace(node: YamlNode, scope: Scope): Json {
  switch (node.kind) {
    case "list":
      return node.items.flatMap((item) => spliceList(item, scope) ?? [replace(item, scope)]);
    case "map":
      return replaceMap(node.entries, scope);
    case "scalar":
      return replaceScalar(node, scope);
  }
}

/** Returns the items that replace an item `$(params.LIST[*])` of a list. */
function spliceList(item: YamlNode, scope: Scope): readonly Json[] | undefined {
  if (item.kind !== "scalar" || typeof item.value !== "string") return undefined;
  const sole = soleReference(item.value);
  if (sole?.name === undefined || !sole.splice) return undefined;
  const where = referencePlaces(item)[0] ?? item.where;
  const value = scope.lookup(sole.name, where);
  if (value === undefined || isList(value)) return value ?? [];
  scope.report({
    code: "invalid-parameter-reference",
    where: [where],
    what: `Parameter "${sole.name}" isn't a list`,
    why: "[*] inserts the items of a list",
    fix: `Write $(params.${sole.name}) without [*]`,
  });
  return [];
}

function replaceMap(entries: readonly YamlEntry[], scope: Scope): Json {
  const result = new Map<string, Json>();
  for (const { key, name, value } of entries) {
    const replaced = replaceInText(key, name, scope);
    if (result.has(replaced)) {
      scope.report({
        code: "duplicate-key",
        where: [key.where],
        what: `Key "${name}" becomes a duplicate`,
        facts: [{ label: "becomes", value: `"${replaced}"` }],
        fix: "Set the parameter to another value",
      });
    }
    result.set(replaced, replace(value, scope));
  }
  return Object.fromEntries(result);
}

function replaceScalar(scalar: YamlScalar, scope: Scope): Json {
  if (typeof scalar.value !== "string") return scalar.value;
  const sole = soleReference(scalar.value);
  if (sole?.name === undefined || sole.splice) return replaceInText(scalar, scalar.value, scope);
  return scope.lookup(sole.name, referencePlaces(scalar)[0] ?? scalar.where) ?? null;
}

function replaceInText(scalar: YamlScalar, text: string, scope: Scope): string {
  let result = "";
  let end = 0;
  const places = referencePlaces(scalar);
  reportLookalikes(scalar, text, scope);
  for (const [index, reference] of findParamReferences(text).entries()) {
    const where = places[index] ?? scalar.where;
    result += text.slice(end, reference.start) + referenceText(reference, where, scope);
    end = reference.start + reference.written.length;
  }
  return result + text.slice(end);
}

function referenceText(reference: ParamReference, where: Position, scope: Scope): string {
  const { name, literal, splice, written } = reference;
  if (literal) return written.slice(1);
  if (name === undefined || splice) {
    scope.report({ where: [where], ...malformedReference(reference) });
    return "";
  }
  const value = scope.lookup(name, where);
  if (value === undefined) return "";
  if (typeof value !== "object") return String(value);
  scope.report({
    code: "invalid-parameter-reference",
    where: [where],
    what: `Parameter "${name}" can't be inserted into a string`,
    why: `It is ${value === null ? "empty" : isList(value) ? "a list" : "an object"}`,
    fix: `Write $(params.${name}) alone, as the whole value`,
  });
  return "";
}

/**
 * Reports text that was probably meant as a reference. Without a problem, it would be deployed
 * literally and fail elsewhere.
 */
function reportLookalikes(scalar: YamlScalar, text: string, scope: Scope): void {
  for (const { name, written } of findLookalikes(text)) {
    if (!scope.declares(name)) continue;
    const at = scalar.source.indexOf(written);
    const where = (at < 0 ? [] : sourcePositions(scalar, [at]))[0] ?? scalar.where;
    scope.report({
      code: "invalid-parameter-reference",
      where: [where],
      what: `"${written}" isn't a parameter reference`,
      why: `qvs would leave it unchanged and not insert the parameter "${name}"`,
      fix: `Write $(params.${name})`,
    });
  }
}

function malformedReference({ name, written }: ParamReference): UnplacedProblem {
  if (name === undefined) {
    return {
      code: "invalid-parameter-reference",
      what: `"${written}" doesn't name a parameter`,
      fix: "Write $(params.NAME)",
      otherwise: ["write $$(params.NAME) for the literal string"],
    };
  }
  return {
    code: "invalid-parameter-reference",
    what: `"${written}" isn't a whole item of a list`,
    why: "[*] inserts the items of a list into another list",
    fix: `Write ["$(params.${name}[*])"]`,
    otherwise: [`write $(params.${name}) for the list itself`],
  };
}

/**
 * Returns the positions of the references of a scalar. Escapes and folding can hide references in
 * the source, and a comment can contain an additional one. The result is then empty, and callers
 * use the position of the scalar.
 */
function referencePlaces(scalar: YamlScalar): readonly Position[] {
  const offsets = findParamReferences(scalar.source).map(({ start }) => start);
  const expected = findParamReferences(String(scalar.value)).length;
  return offsets.length === expected ? sourcePositions(scalar, offsets) : [];
}

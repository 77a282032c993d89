import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "../../model/sources/yaml-node.ts";
import { duplicateKey, maxYamlDepth } from "../../model/text/yaml.ts";

/**
 * The limit includes aliases. Otherwise, nine lines of nested aliases could expand to billions of
 * values.
 */
const maxNodes = 100_000;
const maxCharacters = 4 * 1024 * 1024;

/** The rules for keys, which YAML 1.1 and 1.2 don't share. */
export interface KeyRules {
  /** Set if `<<` inserts the fields of another object. Otherwise it is an error. */
  readonly mergeKeys: boolean;
  /** Set if a key has the text of its value: `true` for `on`. Otherwise it keeps its spelling. */
  readonly typedKeys: boolean;
  /**
   * Called for each repeated key, whose last value then counts. Without it, a repeated key is an
   * error.
   */
  readonly onRepeated?: (problem: Problem) => void;
}

/** Converts the parser's nodes to `YamlNode`s with positions, or reports why they can't be JSON. */
export function locateYaml(
  root: Node | null,
  text: string,
  place: (offset: number) => Position,
  keys: KeyRules,
): Result<YamlNode> {
  const locator = new Locator(text, place, keys);
  const located = locator.locate(root, 0, 0);
  return locator.problems.length > 0 ? failed(locator.problems) : ok(located);
}

class Locator {
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, Node>();
  readonly #text: string;
  readonly #place: (offset: number) => Position;
  readonly #keys: KeyRules;
  #nodes = 0;
  #characters = 0;
  #gaveUp = false;

  constructor(text: string, place: (offset: number) => Position, keys: KeyRules) {
    this.#text = text;
    this.#place = place;
    this.#keys = keys;
  }

  /** Converts a node. `offset` is the position of the node if its value is omitted. */
  locate(node: Node | null, offset: number, depth: number): YamlNode {
    const start = node?.range?.[0] ?? offset;
    this.#nodes += 1;
    if (isScalar(node)) this.#characters += (node.range?.[1] ?? start) - start;
    const tooMuch = this.#nodes > maxNodes || this.#characters > maxCharacters;
    if (tooMuch || depth > maxYamlDepth) return this.#giveUp(start);
    const located = this.#locateKind(node, start, depth);
    // An anchor is valid only after the end of its node, so that no node can contain itself.
    if (node !== null && !isAlias(node) && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, node);
    }
    return located;
  }

  #locateKind(node: Node | null, start: number, depth: number): YamlNode {
    const where = this.#place(start);
    if (isMap<Node, Node | null>(node)) {
      const entries = node.items.map((pair) => this.#entry(pair, start, depth));
      const distinct = this.#distinct(entries.filter((entry) => !this.#isMerge(entry)));
      const merged = entries.filter((entry) => this.#isMerge(entry));
      return { kind: "map", entries: this.#withMerged(distinct, merged), where };
    }
    if (isSeq<Node | null>(node)) {
      return {
        kind: "list",
        items: node.items.map((i) => this.locate(i, start, depth + 1)),
        where,
      };
    }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) return { ...this.locate(target, start, depth + 1), alias: where };
      this.#report(
        "invalid-yaml",
        start,
        `Anchor "&${node.source}" isn't defined before this alias`,
        "Write the value itself",
      );
    }
    if (!isScalar(node)) return this.#nothing(start);
    const source = this.#text.slice(start, node.range?.[1] ?? start);
    return { kind: "scalar", value: this.#jsonValue(node.value, start), source, where };
  }

  #entry(pair: Pair<Node, Node | null>, mapStart: number, depth: number): YamlEntry {
    const keyStart = pair.key?.range?.[0] ?? mapStart;
    const key = this.locate(pair.key, mapStart, depth + 1);
    const value = this.locate(pair.value, pair.key?.range?.[1] ?? mapStart, depth + 1);
    if (key.kind !== "scalar" || key.value === null) {
      this.#report(
        "wrong-type",
        keyStart,
        "A key isn't a string",
        "Write a name before the colon",
        "quote a name that begins with { or [",
      );
      return { key: this.#nothing(keyStart), name: "", value };
    }
    if (key.source === "<<" && !this.#keys.mergeKeys) {
      this.#report(
        "invalid-yaml",
        keyStart,
        'Merge key "<<" isn\'t part of YAML 1.2',
        "Write the merged fields themselves",
      );
    }
    const isText = typeof key.value === "string" || this.#keys.typedKeys;
    return { key, name: isText ? String(key.value) : key.source, value };
  }

  #isMerge({ key }: YamlEntry): boolean {
    return this.#keys.mergeKeys && key.source === "<<";
  }

  /** Adds the fields of merged objects. The object's own fields win, and then the first merged. */
  #withMerged(own: readonly YamlEntry[], merged: readonly YamlEntry[]): readonly YamlEntry[] {
    const all = new Map(own.map((entry) => [entry.name, entry]));
    const objects = merged.flatMap(({ key: { where }, value }) =>
      (value.kind === "list" ? value.items : [value]).map((each) => ({ each, where })),
    );
    for (const { each, where } of objects) {
      if (each.kind !== "map") {
        const what = 'Merge key "<<" has a value that isn\'t an object';
        const fix = "Write an alias of an object, or a list of them";
        this.problems.push({ code: "invalid-yaml", where: [each.where], what, fix });
        continue;
      }
      for (const entry of each.entries)
        if (!all.has(entry.name)) all.set(entry.name, { ...entry, merged: where });
    }
    return [...all.values()];
  }

  #distinct(entries: readonly YamlEntry[]): readonly YamlEntry[] {
    const seen = new Map<string, YamlEntry>();
    for (const entry of entries) {
      const first = seen.get(entry.name);
      const isLast = first === undefined || this.#keys.onRepeated !== undefined;
      if (isLast) seen.set(entry.name, entry);
      if (first !== undefined && !this.#gaveUp) this.#reportRepeated(first, entry);
    }
    return [...seen.values()];
  }

  #reportRepeated(first: YamlEntry, { name, key }: YamlEntry): void {
    const problem = duplicateKey(name, key.where, first.key.where);
    if (this.#keys.onRepeated === undefined) this.problems.push(problem);
    else this.#keys.onRepeated(problem);
  }

  #jsonValue(value: unknown, start: number): YamlScalar["value"] {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    const number = Number(value);
    const exact =
      typeof value === "bigint" ? Number.isSafeInteger(number) : Number.isFinite(number);
    if (!exact) {
      this.#report(
        "invalid-yaml",
        start,
        "The number can't be represented exactly",
        "Quote it to make it a string",
        "write a smaller number",
      );
    }
    return number;
  }

  #nothing(start: number): YamlScalar {
    return { kind: "scalar", value: null, source: "", where: this.#place(start) };
  }

  /** Reports the exceeded limit once. Nothing is read after it. */
  #giveUp(start: number): YamlScalar {
    if (!this.#gaveUp) {
      this.problems.push({
        code: "input-too-large",
        where: [this.#place(start)],
        what: "The YAML has too many levels or values",
        facts: [
          { label: "limit", value: `${maxYamlDepth} levels, ${maxNodes} values with aliases` },
        ],
        fix: "Use fewer levels and values",
        otherwise: ["avoid aliases of aliases"],
      });
    }
    this.#gaveUp = true;
    return this.#nothing(start);
  }

  #report(
    code: ProblemCode,
    start: number,
    what: string,
    fix: string,
    ...otherwise: readonly string[]
  ): void {
    const others = otherwise.length === 0 ? {} : { otherwise };
    this.problems.push({ code, where: [this.#place(start)], what, fix, ...others });
  }
}

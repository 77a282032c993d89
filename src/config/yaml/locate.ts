import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import { duplicateKey } from "../../model/problems/duplicate-key.ts";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import { maxDepth } from "../../model/text/yaml-tokens.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "./node.ts";

/**
 * The limit includes aliases. Otherwise, nine lines of nested aliases could expand to billions of
 * values.
 */
const maxNodes = 100_000;
const maxCharacters = 4 * 1024 * 1024;

/** Converts the parser's nodes to `YamlNode`s with positions, or reports why they can't be JSON. */
export function locateYaml(
  root: Node | null,
  text: string,
  place: (offset: number) => Position,
): Result<YamlNode> {
  const locator = new Locator(text, place);
  const located = locator.locate(root, 0, 0);
  return locator.problems.length > 0 ? failed(locator.problems) : ok(located);
}

class Locator {
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, Node>();
  readonly #text: string;
  readonly #place: (offset: number) => Position;
  #nodes = 0;
  #characters = 0;
  #gaveUp = false;

  constructor(text: string, place: (offset: number) => Position) {
    this.#text = text;
    this.#place = place;
  }

  /** Converts a node. `offset` is the position of the node if its value is omitted. */
  locate(node: Node | null, offset: number, depth: number): YamlNode {
    const start = node?.range?.[0] ?? offset;
    this.#nodes += 1;
    if (isScalar(node)) this.#characters += (node.range?.[1] ?? start) - start;
    const tooMuch = this.#nodes > maxNodes || this.#characters > maxCharacters;
    if (tooMuch || depth > maxDepth) return this.#giveUp(start);
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
      return { kind: "map", entries: this.#distinct(entries), where };
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
      if (target !== undefined) return this.locate(target, start, depth + 1);
      this.#report(
        "invalid-yaml",
        start,
        `No anchor "&${node.source}" is defined before this alias`,
        "Write the value out",
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
        "A key must be text",
        "Write a name before the colon; text that begins with { or [ must be quoted",
      );
      return { key: this.#nothing(keyStart), name: "", value };
    }
    if (key.source === "<<") {
      this.#report(
        "invalid-yaml",
        keyStart,
        'YAML 1.2 has no merge key "<<"',
        "Write the merged fields out",
      );
    }
    return { key, name: typeof key.value === "string" ? key.value : key.source, value };
  }

  #distinct(entries: readonly YamlEntry[]): readonly YamlEntry[] {
    const seen = new Map<string, YamlEntry>();
    for (const entry of entries) {
      const first = seen.get(entry.name);
      if (first === undefined) seen.set(entry.name, entry);
      else if (!this.#gaveUp) {
        this.problems.push(duplicateKey(entry.name, entry.key.where, first.key.where));
      }
    }
    return [...seen.values()];
  }

  #jsonValue(value: unknown, start: number): YamlScalar["value"] {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    const number = Number(value);
    const exact =
      typeof value === "bigint" ? Number.isSafeInteger(number) : Number.isFinite(number);
    if (!exact) {
      const fix = "Quote it to make it text, or write a smaller number";
      this.#report("invalid-yaml", start, "This number cannot be kept without losing digits", fix);
    }
    return number;
  }

  #nothing(start: number): YamlScalar {
    return { kind: "scalar", value: null, source: "", where: this.#place(start) };
  }

  /** Reports the exceeded limit once. Nothing is read after it. */
  #giveUp(start: number): YamlScalar {
    const what = "This YAML is nested too deeply, or its aliases expand to too many values";
    const fix = `Stay below ${maxDepth} levels and ${maxNodes} values; avoid aliases of aliases`;
    if (!this.#gaveUp) this.#report("input-too-large", start, what, fix);
    this.#gaveUp = true;
    return this.#nothing(start);
  }

  #report(code: ProblemCode, start: number, what: string, fix: string): void {
    this.problems.push({ code, where: [this.#place(start)], what, fix });
  }
}

import { type CST, Lexer, Parser, type ScalarTag, type Tags } from "yaml";
import type { Position, Problem } from "../problems/problem.ts";

/** The maximum nesting of YAML maps and lists, in files and in values that qvs shows. */
export const maxYamlDepth = 100;

type YamlTokens =
  | { readonly tokens: readonly CST.Token[] }
  /** The offset where the nesting exceeds `maxYamlDepth`. */
  | { readonly tooDeepAt: number };

/**
 * Returns the parser's tokens of a YAML text.
 * It checks the nesting during parsing. The parser closes open nodes with one recursive call per
 * level. A stack overflow in it can end the whole process. The composition of the tokens is
 * recursive too.
 */
export function yamlTokens(text: string): YamlTokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    const tooDeep = parser.stack[maxYamlDepth + 1];
    if (tooDeep !== undefined) return { tooDeepAt: tooDeep.offset };
  }
  tokens.push(...parser.end());
  return { tokens };
}

/**
 * Returns the YAML 1.1 tags that kubectl supports.
 * kubectl reads `0o644` as a number, but has neither times nor base-60 numbers: `2026-11-22` and
 * `22:22` are strings.
 */
export const kubectlTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter((tag) => {
    if (typeof tag === "string") return !["timestamp", "intTime", "floatTime"].includes(tag);
    return tag.tag !== "tag:yaml.org,2002:timestamp" && (tag as ScalarTag).format !== "TIME";
  }),
];

/** Returns the tags of kubectl that make strings, numbers, booleans, lists and objects. */
export const kubectlJsonTags = (tags: Tags): Tags =>
  kubectlTags(tags).filter(
    (tag) => typeof tag === "string" || !/,2002:(merge|binary|omap|pairs|set)$/.test(tag.tag),
  );

const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number(text.replace(/^[-+]/, "")) * (text.startsWith("-") ? -1 : 1),
};

/**
 * Moves an offset after the last line back to the end of the content.
 * If a token is missing at the end of a file, the parser reports it in a line that no editor shows.
 * GitHub shows no annotation on such a line.
 */
export function clampOffset(text: string, offset: number): number {
  return Math.min(offset, text.trimEnd().length);
}

/**
 * Returns the error for a duplicate key in a map. YAML readers use one of the values without a
 * warning.
 */
export function duplicateKey(name: string, second: Position, first: Position): Problem {
  return {
    code: "duplicate-key",
    where: [second, first],
    what: `"${name}" occurs twice in one object`,
    facts: [{ label: "first", value: `line ${first.line}` }],
    fix: "Delete one of the two lines",
    otherwise: ["put both values under one key"],
  };
}

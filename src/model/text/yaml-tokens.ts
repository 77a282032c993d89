import { type CST, Lexer, Parser } from "yaml";

/** The maximum nesting of YAML maps and lists, in files and in values that qvs shows. */
export const maxYamlDepth = 100;

export type YamlTokens =
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

import { type CST, Lexer, Parser } from "yaml";

/** How deep maps and lists of YAML may stand in each other, in files and in values that are shown. */
export const maxDepth = 100;

export type YamlTokens =
  | { readonly tokens: readonly CST.Token[] }
  /** Where the nesting exceeds `maxDepth`. */
  | { readonly tooDeepAt: number };

/**
 * A text in the parser's tokens. The nesting is looked at while they are read: what is open is closed by a call within a call for each
 * level, and running out of stack in the middle of it can end the whole process. Composing them is recursive as well.
 */
export function yamlTokens(text: string): YamlTokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    const tooDeep = parser.stack[maxDepth + 1];
    if (tooDeep !== undefined) return { tooDeepAt: tooDeep.offset };
  }
  tokens.push(...parser.end());
  return { tokens };
}

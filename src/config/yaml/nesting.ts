import type { CST } from "yaml";

export const maxDepth = 100;

/**
 * Where the nesting exceeds `maxDepth`; undefined when it does not. Must be asked before the tokens are composed: that
 * is recursive, and running out of stack in the middle of it can end the whole process.
 */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) return token.offset;
    for (const inner of tokensIn(token)) waiting.push({ token: inner, depth: depth + 1 });
  }
  return undefined;
}

/** Where the scalar begins that ends at `end`; `end` itself where none does. */
export function textBefore(tokens: readonly CST.Token[], end: number): number {
  const waiting = [...tokens];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("source" in next && next.offset < end && next.offset + next.source.length === end) {
      return next.offset;
    }
    waiting.push(...tokensIn(next));
  }
  return end;
}

function tokensIn(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((each) => each != null));
}

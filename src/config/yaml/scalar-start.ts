import type { CST } from "yaml";

/** Returns the start of the scalar that ends at `end`, or `end` if there is none. */
export function scalarStart(tokens: readonly CST.Token[], end: number): number {
  const waiting = [...tokens];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ("source" in next && next.offset < end && next.offset + next.source.length === end) {
      return next.offset;
    }
    waiting.push(...childTokens(next));
  }
  return end;
}

function childTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((each) => each != null));
}

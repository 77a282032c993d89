/** `a, b and 3 more`: as many of the texts as a reader needs to see what it is about. */
export function listed(texts: readonly string[], most: number): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

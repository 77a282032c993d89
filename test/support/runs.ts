/** How many times as many random cases are tried as the fast loop can afford. */
export const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

/** For fast-check: few where each of them costs milliseconds. */
export function runs(few: number): { readonly numRuns: number } {
  return { numRuns: few * factor };
}

/** The factor for the number of random cases, compared with the fast loop. */
export const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

/** Returns the fast-check setting for a property whose cases take milliseconds each. */
export function runs(few: number): { readonly numRuns: number } {
  return { numRuns: few * factor };
}

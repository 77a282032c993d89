/** Returns a reason of other modules with a capital letter, for a text of several sentences. */
export function capitalize(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
}

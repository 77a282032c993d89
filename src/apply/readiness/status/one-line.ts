/** Messages of the cluster become part of a line of ours, and some have several. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n]+\s*/g, " ");
}

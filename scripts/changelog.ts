/**
 * Returns the section `## 1.2.3` of a changelog, without its heading. Throws if the section doesn't
 * exist or is empty.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => /^\S+/.exec(each)?.[0] === version);
  const notes = section?.slice(section.indexOf("\n")).trim() ?? "";
  if (notes === "") throw new Error(`CHANGELOG.md has no notes for ${version}`);
  return `${notes}\n`;
}

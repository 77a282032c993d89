import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "RESULTS.md");
const heading = `# Results

Medians, with the middle half of the rounds in brackets. Times depend on the machine and on what else it does; what counts are
the ratios, taken between neighbors of one run. CPU time includes all threads and child processes, except the process of the
native engine. It outlives \`qvs\`, and only "Rendering charts and overlays" counts it.
\`npm run bench -- all\` measures every section with the same commit.
`;

/** Replaces the previous version of a section and leaves the others unchanged. */
export function writeSection(title: string, text: string): void {
  const others = sections().filter((section) => !section.startsWith(`## ${title}\n`));
  const all = [...others, `${text.trimEnd()}\n`].sort();
  writeFileSync(file, [heading, ...all].join("\n"));
}

/** Removes all sections, before new ones are measured. */
export function removeSections(): void {
  writeFileSync(file, heading);
}

/** Returns the commit that each section names; undefined if it names none. */
export function measuredCommits(): ReadonlyMap<string, string | undefined> {
  const commitOf = (text: string) =>
    /, commit (\S+(?: with uncommitted changes)?),/.exec(text)?.[1];
  return new Map(
    sections().map((text) => [/^## (.*)/.exec(text)?.[1] ?? "", commitOf(text)] as const),
  );
}

function sections(): string[] {
  try {
    const parts = readFileSync(file, "utf8").split(/^(?=## )/m);
    return parts.slice(1).map((part) => `${part.trimEnd()}\n`);
  } catch {
    return [];
  }
}

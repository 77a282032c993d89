/** Writes docs/problems.md from the codes of src/model/problem-codes.ts: `node scripts/problems-page.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemCodes } from "../src/model/problem-codes.ts";

export const page = join(import.meta.dirname, "..", "docs", "problems.md");

const head = `# Problems and their codes

Every problem has a code that never changes its meaning, so it can be searched for and scripts may depend on it. It is in
\`problems[].code\` of \`qvs diff --format json\`, in the comment on a pull request, and on terminals behind what fits on one
line. The message itself says where the problem is and what to do about it; here is what each code stands for.

This page is made by \`node scripts/problems-page.ts\` from \`src/model/problem-codes.ts\`.
`;

export function renderPage(): string {
  const sections = Object.entries(problemCodes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, text]) => `\n## ${code}\n\n${text}\n`);
  return head + sections.join("");
}

if (import.meta.main) writeFileSync(page, renderPage());

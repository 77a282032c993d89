/** Writes docs/reference/findings.md from the codes of src/model/finding-codes.ts: `node scripts/findings-page.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findingCodes } from "../src/model/finding-codes.ts";

export const page = join(import.meta.dirname, "..", "docs", "reference", "findings.md");

const head = `# Findings

A preview says what the cluster would do with the plan before it happens. Each such finding has a code that never changes its
meaning, a severity, the object, what will happen, the numbers that this was computed from, and a cure, where there is one as
lines to paste. They are in the text of \`qvs diff\`, in the comment on a pull request, in its annotations, and in \`findings\`
of \`qvs diff --format json\`.

An **error** says that the deployment can't succeed as planned, and makes the check red. A **warning** is for the reviewer to
weigh, a **note** is to be known. No finding keeps \`qvs deploy\` from deploying. Which of them fail \`qvs diff\` and the check
is decided by \`--fail-on\` and the input \`fail-on\`: a list of \`error\` (the default), \`warning\`, codes of findings,
\`deletions\`, \`replacements\`, or \`nothing\`.

Where a finding is meant, an annotation of the object says so, and the finding is then only mentioned as allowed:

\`\`\`yaml
metadata:
  annotations:
    vs.axis-dev.io/allow: image-not-pinned, many-deletions
\`\`\`

This page is made by \`node scripts/findings-page.ts\` from \`src/model/finding-codes.ts\`.
`;

export function renderPage(): string {
  const sections = Object.entries(findingCodes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, text]) => `\n## ${code}\n\n${text}\n`);
  return head + sections.join("");
}

if (import.meta.main) writeFileSync(page, renderPage());

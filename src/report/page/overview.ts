import { escapePage, page, pageCode } from "../../redaction/page.ts";
import { inPage } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { levelOf, marksOfLevels } from "../comment/level.ts";
import { describeRisksShort } from "../comment/risks.ts";
import { isInteresting } from "../comment/sections.ts";
import { count, countedColumns } from "../text/counts.ts";

/**
 * Renders a row for each deployment with changes, and the names of the others.
 * The risks are next to the name, where a phone shows them. The counts need scrolling.
 */
export function renderOverview(sections: readonly DeploymentSection[]): Page {
  const shown = sections.filter(isInteresting);
  const untouched = sections.filter((section) => !isInteresting(section));
  const columns = countedColumns.filter(([, action]) =>
    shown.some(({ rows }) => count(rows, action) > 0),
  );
  const header = [
    page`<th scope="col">Deployment</th>`,
    page`<th scope="col">Look at</th>`,
    ...columns.map(([heading]) => page`<th scope="col" class="number">${escapePage(heading)}</th>`),
  ];
  const rows = shown.map((section, i) => {
    const { name } = section;
    const numbers = columns.map(
      ([, action]) => page`<td class="number">${count(section.rows, action)}</td>`,
    );
    const look = inPage(describeRisksShort(section), () => undefined);
    const mark = escapePage(marksOfLevels[levelOf(section)]);
    return page`<tr><th scope="row">${mark} <a href="#d${i}">${escapePage(name)}</a></th><td class="look">${look}</td>${joined(numbers, "")}</tr>`;
  });
  const table =
    rows.length === 0
      ? page``
      : page`<div class="scroll" role="region" tabindex="0" aria-label="Deployments"><table><thead><tr>${joined(header, "")}</tr></thead><tbody>${joined(rows, "\n")}</tbody></table></div>`;
  const names = untouched.map(({ name }) => pageCode(name));
  const rest = names.length === 0 ? page`` : page`<p>Without changes: ${joined(names, ", ")}</p>`;
  return page`<nav aria-label="Deployments">${table}${rest}</nav>`;
}

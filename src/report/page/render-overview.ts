import { escapePage, page, pageCode } from "../../redaction/page.ts";
import { phraseToHtml } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { isInteresting } from "../comment/build-sections.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { describeBriefly } from "../comment/describe-verdict.ts";
import { isDangerous, verdictLevel } from "../comment/level.ts";
import type { DeploymentReview } from "../review/review.ts";
import { actionVerb, plural } from "../text/counts.ts";
import { renderMark } from "./page-context.ts";

/**
 * Renders the filter form, which only the script shows. Without scripts, the page has all objects.
 */
export function renderFilter(sections: readonly DeploymentReview[]): Page {
  const actions = [...new Set(sections.flatMap(({ rows }) => rows.map(({ action }) => action)))];
  const options = actions.map(
    (action) =>
      page`<option value="${escapePage(action)}">${escapePage(actionVerb(action))}</option>`,
  );
  return page`<form id="filter" role="search" aria-label="Objects" hidden>
<label>Text <input type="search" name="words" autocomplete="off" spellcheck="false"></label>
<label>Action <select name="action"><option value="">all</option>${joined(options, "")}</select></label>
<label class="check"><input type="checkbox" name="dangerous"> dangerous only</label>
<button type="button" name="open">Open all diffs</button>
<button type="button" name="close">Close all diffs</button>
<p role="status"></p>
</form>`;
}

/** Returns the HTML ID of a deployment by its index among those with changes. */
export function idOfDeployment(index: number): string {
  return `d${index}`;
}

/** Renders the reasons of all dangerous deployments. The others have theirs in their summaries. */
export function renderOverview(shown: readonly DeploymentSection[]): Page {
  const rows = shown.flatMap((section, i) =>
    isDangerous(verdictLevel(section))
      ? [
          page`<tr><th scope="row">${nameOf(section, i)}</th><td>${phraseToHtml(describeBriefly(section), () => undefined)}</td></tr>`,
        ]
      : [],
  );
  if (rows.length === 0) return page``;
  const header = page`<tr><th scope="col">Deployment</th><th scope="col">What happens</th></tr>`;
  return page`<table class="overview"><thead>${header}</thead><tbody>${joined(rows, "\n")}</tbody></table>`;
}

/**
 * Renders links to all deployments. A wide screen shows them at the side, without the summary. A
 * narrow one shows only the summary until the reader opens it.
 */
export function renderSideList(sections: readonly DeploymentSection[]): Page {
  const shown = sections.filter(isInteresting);
  if (shown.length === 0) return page``;
  const links = shown.map((section, i) => page`<li>${nameOf(section, i)}</li>`);
  const rest = untouched(sections).map(
    (section) => page`<li>${renderMark(verdictLevel(section))} ${escapePage(section.name)}</li>`,
  );
  const title = escapePage(plural(sections.length, "deployment"));
  return page`<nav class="side" aria-label="Deployments"><details><summary>${title}</summary><ul>${joined([...links, ...rest], "\n")}</ul></details></nav>`;
}

export function renderUntouched(sections: readonly DeploymentSection[]): Page {
  const names = untouched(sections).map(({ name }) => pageCode(name));
  return names.length === 0 ? page`` : page`<p>Without changes: ${joined(names, ", ")}</p>`;
}

function untouched(sections: readonly DeploymentSection[]): readonly DeploymentSection[] {
  return sections.filter((section) => !isInteresting(section));
}

function nameOf(section: DeploymentSection, index: number): Page {
  const link = page`<a href="#${escapePage(idOfDeployment(index))}">${escapePage(section.name)}</a>`;
  return page`${renderMark(verdictLevel(section))} ${link}`;
}

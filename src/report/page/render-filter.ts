import { escapePage, page } from "../../redaction/page.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import type { DeploymentReview } from "../review/review.ts";
import { actionVerb } from "../text/counts.ts";

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

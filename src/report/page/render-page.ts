import { escapePage, page, pageCode, pageLink } from "../../redaction/page.ts";
import { type Phrase, phraseToHtml, say, text } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { describeArtifact } from "../comment/comment-input.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { describeBriefly, describeVerdict } from "../comment/describe-verdict.ts";
import {
  buildSections,
  isDangerous,
  isInteresting,
  type VerdictLevel,
  verdictLevel,
} from "../comment/level.ts";
import { problemsTitle } from "../comment/render-comment.ts";
import { nothingChanges } from "../comment/render-section.ts";
import { problemPhrase } from "../problem-phrases.ts";
import type { DeploymentReview, Review } from "../review/review.ts";
import { actionVerb, plural } from "../text/counts.ts";
import { createPageContext, type PageContext, renderList, renderMark } from "./page-context.ts";
import { renderDeployment } from "./render-deployment.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

export interface PageOptions {
  /** Returns the SHA-256 of a string in UTF-8 as hexadecimal digits. */
  readonly hash: (text: string) => string;
  /** The approximate size limit in bytes. */
  readonly limit?: number;
}

/** Browsers can load a page of this size, also on a phone. */
const maxBytes = 6_000_000;

/**
 * Renders one page with the content of the comment and the whole diffs.
 * The page loads nothing. Its policy allows no other script or style, whatever a name or a value
 * contains. The same input gives the same bytes.
 */
export function renderPage(review: Review, { hash, limit = maxBytes }: PageOptions): Page {
  const frame = createPageContext(review, limit);
  const body = [
    ...(review.previewProblems === undefined
      ? renderPreview(review, frame)
      : renderPreviewProblems(review, frame)),
    renderFooter(review),
  ];
  const head = [
    page`<meta charset="utf-8">`,
    page`<meta http-equiv="Content-Security-Policy" content="${escapePage(policy(hash))}">`,
    page`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    page`<meta name="referrer" content="no-referrer">`,
    page`<meta name="color-scheme" content="light dark">`,
    page`<title>${pageTitle(review)}</title>`,
    page`<style>${style}</style>`,
  ];
  return page`<!doctype html>\n<html lang="en">\n<head>\n${joined(head, "\n")}\n</head>\n<body>\n${joined(body, "\n")}\n<script>${script}</script>\n</body>\n</html>\n`;
}

/** Returns a policy that allows only the style and script of this page, by their hashes. */
function policy(hash: PageOptions["hash"]): string {
  const source = (code: Page) => `'sha256-${Buffer.from(hash(code), "hex").toString("base64")}'`;
  return [
    "default-src 'none'",
    `style-src ${source(style)}`,
    `script-src ${source(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function pageTitle({ deployments }: Review): Page {
  const [only, ...others] = deployments;
  const what =
    only === undefined || others.length > 0 ? `${deployments.length} deployments` : only.name;
  return escapePage(`Preview of ${what}`);
}

function renderPreview(review: Review, frame: PageContext): readonly Page[] {
  const sections = buildSections(review.deployments);
  const worst = sections[0];
  const level = worst === undefined ? "nothing" : verdictLevel(worst);
  const head = renderVerdict(describeVerdict(sections), level, frame);
  const note = artifactNote(review, frame);
  return sections.length === 1
    ? [head, renderMain([note, ...renderAlone(sections, frame)])]
    : [head, renderMany(sections, frame, note)];
}

function artifactNote(review: Review, { show }: PageContext): Page {
  const warning = describeArtifact(review);
  return warning === undefined ? page`` : page`<p class="box risk">${show(warning)}</p>`;
}

/**
 * Renders the only deployment, with the filter below the reason for its verdict. Without changes,
 * it renders the effect of a merge.
 */
function renderAlone(sections: readonly DeploymentSection[], frame: PageContext): readonly Page[] {
  const shown = sections.filter(isInteresting);
  if (shown.length === 0 && frame.isPullRequest)
    return [page`<p>${frame.show(nothingChanges)}</p>`];
  return shown.map((section) =>
    renderDeployment(section, { frame, id: idOfDeployment(0), isAlone: true }, filterOf(shown)),
  );
}

/** Renders the list of deployments next to their reasons, the filter and the deployments. */
function renderMany(sections: readonly DeploymentSection[], frame: PageContext, first: Page): Page {
  const shown = sections.filter(isInteresting);
  const main = renderMain([
    first,
    renderOverview(shown),
    filterOf(shown),
    ...shown.map((section, i) =>
      renderDeployment(section, { frame, id: idOfDeployment(i), isAlone: false }),
    ),
    renderUntouched(sections),
  ]);
  const side = renderSideList(sections);
  return side === "" ? main : page`<div class="columns">\n${side}\n${main}\n</div>`;
}

function filterOf(shown: readonly DeploymentSection[]): Page {
  return shown.some(({ rows }) => rows.length > 0) ? renderFilter(shown) : page``;
}

function renderMain(parts: readonly Page[]): Page {
  const content = joined(
    parts.filter((part) => part !== ""),
    "\n",
  );
  return page`<main id="main">${content}</main>`;
}

function renderVerdict(phrase: Phrase, level: VerdictLevel, { show }: PageContext): Page {
  return page`<header class="verdict ${escapePage(level)}"><h1>${show(phrase)}</h1></header>`;
}

/** Renders a preview that is impossible or incomplete. */
function renderPreviewProblems(
  { previewProblems: problems = [], deployments }: Review,
  frame: PageContext,
): readonly Page[] {
  const items = problems.map((each) => problemPhrase(each));
  const box = page`<section class="box stop">${renderList(items, frame)}</section>`;
  const heading = say`${text("🛑")} ${text(problemsTitle({ deployments }))}`;
  const head = renderVerdict(heading, "stop", frame);
  return deployments.length === 0
    ? [head, renderMain([box])]
    : [head, renderMany(buildSections(deployments), frame, box)];
}

/** More plans are folded. */
const openDigests = 4;

function renderFooter({ deployments, headCommit, runUrl, now }: Review): Page {
  const digests = deployments.flatMap(({ name, digest }) =>
    digest === undefined
      ? []
      : [page`<li>plan of ${pageCode(name)}: ${pageCode(digest.slice(0, 12))}</li>`],
  );
  const isFolded = digests.length > openDigests;
  const facts = [
    ...(headCommit === "" ? [] : [page`<li>commit ${pageCode(headCommit.slice(0, 12))}</li>`]),
    ...(now === undefined ? [] : [page`<li>created at ${escapePage(now)}</li>`]),
    ...(runUrl === undefined ? [] : [page`<li>${pageLink(page`run`, runUrl)}</li>`]),
    ...(isFolded ? [] : digests),
  ];
  const plans = isFolded
    ? page`<details><summary>${digests.length} plans</summary><ul>${joined(digests, "")}</ul></details>`
    : page``;
  return page`<footer><ul>${joined(facts, "")}</ul>${plans}</footer>`;
}

/**
 * Renders the filter form, which only the script shows. Without scripts, the page has all objects.
 */
function renderFilter(sections: readonly DeploymentReview[]): Page {
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
function idOfDeployment(index: number): string {
  return `d${index}`;
}

/** Renders the reasons of all dangerous deployments. The others have theirs in their summaries. */
function renderOverview(shown: readonly DeploymentSection[]): Page {
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
function renderSideList(sections: readonly DeploymentSection[]): Page {
  const shown = sections.filter(isInteresting);
  if (shown.length === 0) return page``;
  const links = shown.map((section, i) => page`<li>${nameOf(section, i)}</li>`);
  const rest = untouched(sections).map(
    (section) => page`<li>${renderMark(verdictLevel(section))} ${escapePage(section.name)}</li>`,
  );
  const title = escapePage(plural(sections.length, "deployment"));
  return page`<nav class="side" aria-label="Deployments"><details><summary>${title}</summary><ul>${joined([...links, ...rest], "\n")}</ul></details></nav>`;
}

function renderUntouched(sections: readonly DeploymentSection[]): Page {
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

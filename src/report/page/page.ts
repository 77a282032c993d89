import { escapePage, page, pageCode, pageLink } from "../../redaction/page.ts";
import { type Phrase, say, text } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { describeArtifact } from "../comment/artifact-source.ts";
import type { DeploymentSection } from "../comment/deployment-section.ts";
import { type Level, levelOf } from "../comment/level.ts";
import { isInteresting, sectionsOf } from "../comment/sections.ts";
import { describeVerdict } from "../comment/verdict.ts";
import { problemInWords } from "../problems.ts";
import type { Review } from "../review/review.ts";
import { renderDeployment } from "./deployment.ts";
import { renderFilter } from "./filter.ts";
import { type Frame, frameOf, list } from "./frame.ts";
import { renderOverview } from "./overview.ts";
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
  const frame = frameOf(review, limit);
  const body = [
    ...(review.previewProblems === undefined
      ? preview(review, frame)
      : previewProblems(review, frame)),
    renderFooter(review),
  ];
  const head = [
    page`<meta charset="utf-8">`,
    page`<meta http-equiv="Content-Security-Policy" content="${escapePage(policy(hash))}">`,
    page`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    page`<meta name="referrer" content="no-referrer">`,
    page`<meta name="color-scheme" content="light dark">`,
    page`<title>${titleOf(review)}</title>`,
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

function titleOf({ deployments }: Review): Page {
  const [only, ...others] = deployments;
  const what =
    only === undefined || others.length > 0 ? `${deployments.length} deployments` : only.name;
  return escapePage(`Preview of ${what}`);
}

function preview(review: Review, frame: Frame): readonly Page[] {
  const sections = sectionsOf(review.deployments);
  const worst = sections[0];
  const level = worst === undefined ? "nothing" : levelOf(worst);
  const isAlone = sections.length === 1;
  return [
    verdict(describeVerdict(sections), level, frame),
    ...artifactNote(review, frame),
    isAlone ? page`` : renderOverview(sections),
    ...renderSections(sections, { frame, isAlone, first: page`` }),
  ];
}

function artifactNote(review: Review, { show }: Frame): readonly Page[] {
  const said = describeArtifact(review);
  return said === undefined ? [] : [page`<p class="box risk">${show(said)}</p>`];
}

interface Around {
  readonly frame: Frame;
  readonly isAlone: boolean;
  /** The content before the deployments. */
  readonly first: Page;
}

function renderSections(
  sections: readonly DeploymentSection[],
  { frame, isAlone, first }: Around,
): readonly Page[] {
  const shown = sections.filter(isInteresting);
  const rendered = shown.map((section, i) =>
    renderDeployment(section, { frame, id: `d${i}`, isAlone }),
  );
  return [
    shown.some(({ rows }) => rows.length > 0) ? renderFilter(shown) : page``,
    page`<main id="main">${first}${joined(rendered, "\n")}</main>`,
  ];
}

function verdict(phrase: Phrase, level: Level, { show }: Frame): Page {
  return page`<header class="verdict ${escapePage(level)}"><h1>${show(phrase)}</h1></header>`;
}

/** Renders a preview that is impossible or incomplete. */
function previewProblems(
  { previewProblems: problems = [], deployments }: Review,
  frame: Frame,
): readonly Page[] {
  const items = problems.map((each) => problemInWords(each));
  const box = page`<section class="box stop">${list(items, frame)}</section>`;
  if (deployments.length === 0) {
    const heading = say`${text("🛑")} This pull request can't be previewed`;
    return [verdict(heading, "stop", frame), page`<main id="main">${box}</main>`];
  }
  const sections = sectionsOf(deployments);
  const heading = say`${text("🛑")} Not all of this pull request can be previewed`;
  return [
    verdict(heading, "stop", frame),
    renderOverview(sections),
    ...renderSections(sections, { frame, isAlone: false, first: box }),
  ];
}

function renderFooter({ deployments, headCommit, runUrl, now }: Review): Page {
  const digests = deployments.flatMap(({ name, digest }) =>
    digest === undefined
      ? []
      : [page`<li>plan of ${pageCode(name)}: ${pageCode(digest.slice(0, 12))}</li>`],
  );
  const facts = [
    ...(headCommit === "" ? [] : [page`<li>commit ${pageCode(headCommit.slice(0, 12))}</li>`]),
    ...(now === undefined ? [] : [page`<li>made at ${escapePage(now)}</li>`]),
    ...(runUrl === undefined ? [] : [page`<li>${pageLink(page`run`, runUrl)}</li>`]),
    ...digests,
  ];
  return page`<footer><ul>${joined(facts, "")}</ul></footer>`;
}

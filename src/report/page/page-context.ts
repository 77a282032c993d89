import { escapePage, page } from "../../redaction/page.ts";
import { type Phrase, phraseToHtml } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { levelMarks, levelNames, type VerdictLevel } from "../comment/level.ts";
import { blobUrlBuilder } from "../comment/place-links.ts";
import type { Review } from "../review/review.ts";

/** The context that all parts of a page share. */
export interface PageContext {
  show(phrase: Phrase): Page;
  /** The current time in ISO 8601. */
  readonly now: string | undefined;
  /** True if the preview is of a pull request, which can be merged. */
  readonly isPullRequest: boolean;
  /**
   * Reports whether the page has room for a part, and reserves the room.
   * Each kind of part has its own room.
   */
  hasRoomFor(what: PagePart, part: Page): boolean;
}

type PagePart = "objects" | "diffs" | "sentences";

export function createPageContext(review: Review, limit: number): PageContext {
  const blobUrl = blobUrlBuilder(review);
  const room = { objects: limit / 2, diffs: limit / 2, sentences: limit / 2 };
  return {
    show: (phrase) => phraseToHtml(phrase, blobUrl),
    now: review.now,
    isPullRequest: review.pullRequest !== undefined,
    hasRoomFor: (what, part) => {
      const size = Buffer.byteLength(part);
      if (size > room[what]) return false;
      room[what] -= size;
      return true;
    },
  };
}

/** Renders a list as far as the page has room. Messages of a cluster can be of any length. */
export function renderList(phrases: readonly Phrase[], { show, hasRoomFor }: PageContext): Page {
  if (phrases.length === 0) return page``;
  const items = phrases
    .map((each) => page`<li>${show(each)}</li>`)
    .filter((item) => hasRoomFor("sentences", item));
  const missing = phrases.length - items.length;
  const rest =
    missing === 0
      ? page``
      : page`<li>Not shown, because this page would be too large: ${missing} more. <code>qvs diff</code> shows all.</li>`;
  return page`<ul>${joined([...items, rest], "")}</ul>`;
}

export interface SectionContext {
  readonly frame: PageContext;
  /** The HTML ID of the deployment's section. */
  readonly id: string;
  /** True if the page has only this deployment. Its name is then in the title. */
  readonly isAlone: boolean;
}

/** Renders the mark of a level. A screen reader says its word, such as `Blocked`. */
export function renderMark(level: VerdictLevel): Page {
  return page`<span role="img" aria-label="${escapePage(levelNames[level])}">${escapePage(levelMarks[level])}</span>`;
}

/** Renders a heading below the deployment's own heading, if it has one. */
export function renderHeading({ isAlone }: SectionContext, title: Page): Page {
  return isAlone ? page`<h2>${title}</h2>` : page`<h3>${title}</h3>`;
}

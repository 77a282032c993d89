import { page } from "../../redaction/page.ts";
import { inPage, type Phrase } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { addressesAt } from "../comment/places.ts";
import type { Review } from "../review/review.ts";

/** What all parts of a page share. */
export interface Frame {
  show(phrase: Phrase): Page;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Only then is there something to be merged. */
  readonly isPullRequest: boolean;
  /** Whether there is room for something on the page; if so, it has taken that room. None takes any from the others. */
  hasRoomFor(what: Part, part: Page): boolean;
}

type Part = "objects" | "diffs" | "sentences";

export function frameOf(review: Review, limit: number): Frame {
  const addressOf = addressesAt(review);
  const room = { objects: limit / 2, diffs: limit / 2, sentences: limit / 2 };
  return {
    show: (phrase) => inPage(phrase, addressOf),
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

/** A list; nothing for nothing. Messages of a cluster or of a definition can be as long as those like. */
export function list(phrases: readonly Phrase[], { show, hasRoomFor }: Frame): Page {
  if (phrases.length === 0) return page``;
  const items = phrases
    .map((each) => page`<li>${show(each)}</li>`)
    .filter((item) => hasRoomFor("sentences", item));
  const missing = phrases.length - items.length;
  const rest =
    missing === 0
      ? page``
      : page`<li>${missing} more left out: this page has no room. <code>qvs diff</code> shows all.</li>`;
  return page`<ul>${joined([...items, rest], "")}</ul>`;
}

export interface Place {
  readonly frame: Frame;
  /** Of the deployment's part of the page. */
  readonly id: string;
  /** Whether the page is about this deployment only, whose name is in the title then. */
  readonly isAlone: boolean;
}

/** Below the deployment's own heading, where it has one. */
export function heading({ isAlone }: Place, title: Page): Page {
  return isAlone ? page`<h2>${title}</h2>` : page`<h3>${title}</h3>`;
}

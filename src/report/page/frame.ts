import { page } from "../../redaction/page.ts";
import { inPage, type Phrase } from "../../redaction/phrase.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import type { CommentInput } from "../comment/comment-input.ts";
import { addressesAt } from "../comment/places.ts";

/** What all parts of a page share. */
export interface Frame {
  show(phrase: Phrase): Page;
  /** ISO 8601. */
  readonly now: string | undefined;
  /** Whether there is room for something on the page; if so, it has taken that room. Diffs take none from objects. */
  hasRoomFor(what: "objects" | "diffs", part: Page): boolean;
}

export function frameOf(input: CommentInput, limit: number): Frame {
  const addressOf = addressesAt(input);
  const room = { objects: limit / 2, diffs: limit / 2 };
  return {
    show: (phrase) => inPage(phrase, addressOf),
    now: input.now,
    hasRoomFor: (what, part) => {
      const size = Buffer.byteLength(part);
      if (size > room[what]) return false;
      room[what] -= size;
      return true;
    },
  };
}

/** A list; nothing for nothing. */
export function list(phrases: readonly Phrase[], { show }: Frame): Page {
  if (phrases.length === 0) return page``;
  return page`<ul>${joined(
    phrases.map((each) => page`<li>${show(each)}</li>`),
    "",
  )}</ul>`;
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

import type { Position } from "../model/problems/problem.ts";
import { code, escapeText, fenced, md } from "./markdown.ts";
import { listItem } from "./own-markdown.ts";
import { escapePage, page, pageCode, pageLink } from "./page.ts";
import { joined, type Markdown, type Page } from "./shown.ts";

/**
 * A text that is independent of its format. A comment and a page show the same text, each with its
 * own encoders.
 * The templates of `say` contain qvs's own words. All other text comes from other sources.
 */
export type Phrase = readonly Piece[];

type Piece =
  | { readonly type: "own"; readonly words: Own }
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong"; readonly phrase: Phrase }
  | { readonly type: "place"; readonly place: Place; readonly phrase: Phrase }
  | { readonly type: "lines"; readonly lines: readonly string[] }
  | { readonly type: "items"; readonly items: readonly Phrase[] }
  | { readonly type: "break" | "paragraph" };

type Own = string & { readonly [own]: true };
declare const own: unique symbol;

type Place = Pick<Position, "file" | "line">;

/**
 * Returns a sentence or a part of it in plain words, which are the same in Markdown and in HTML.
 */
export function say(parts: TemplateStringsArray, ...values: readonly (Phrase | number)[]): Phrase {
  return parts.flatMap((part, i) => {
    const value = values[i] ?? [];
    const after = typeof value === "number" ? [words(String(value))] : value;
    return part === "" ? after : [words(part), ...after];
  });
}

/** Returns text from another source. */
export function text(given: string): Phrase {
  return [{ type: "text", text: given }];
}

/** Returns a name or a value. */
export function named(given: string): Phrase {
  return [{ type: "code", text: given }];
}

export function strong(phrase: Phrase): Phrase {
  return [{ type: "strong", phrase }];
}

/** Returns a place in a file. It becomes a link if the repository contains the file. */
export function placed(place: Place, phrase = named(`${place.file}:${place.line}`)): Phrase {
  return [{ type: "place", place, phrase }];
}

/** Returns lines of YAML below the text. */
export function linesBelow(lines: readonly string[]): Phrase {
  return lines.length === 0 ? [] : [{ type: "lines", lines }];
}

/** Returns a list below the text. */
export function itemsBelow(items: readonly Phrase[]): Phrase {
  return items.length === 0 ? [] : [{ type: "items", items }];
}

export const nextLine: Phrase = [{ type: "break" }];

/** Starts a new paragraph after lines of YAML or a list. */
export const nextParagraph: Phrase = [{ type: "paragraph" }];

type Between = ", " | " · " | " and " | ", used by " | " → ";

export function listOf(phrases: readonly Phrase[], between: Between | typeof nextLine): Phrase {
  const separator = typeof between === "string" ? [words(between)] : between;
  return phrases.flatMap((phrase, i) => (i === 0 ? phrase : [...separator, ...phrase]));
}

function words(given: string): Piece {
  return { type: "own", words: given as Own };
}

/** Renders a phrase as Markdown. `show` renders a place. */
export function inMarkdown(
  phrase: Phrase,
  show: (place: Place, text: Markdown) => Markdown,
): Markdown {
  return phrase.map((piece) => markdownOf(piece, show)).join("") as Markdown;
}

function markdownOf(piece: Piece, show: (place: Place, text: Markdown) => Markdown): Markdown {
  switch (piece.type) {
    case "own":
      return piece.words as string as Markdown;
    case "text":
      return escapeText(piece.text);
    case "code":
      return code(piece.text);
    case "strong":
      return md`**${inMarkdown(piece.phrase, show)}**`;
    case "place":
      return show(piece.place, inMarkdown(piece.phrase, show));
    case "lines":
      return md`\n\n${fenced("yaml", piece.lines)}`;
    case "items": {
      const items = piece.items.map((item) => listItem(inMarkdown(item, show)));
      return md`\n\n${joined(items, "\n")}`;
    }
    case "break":
      return md`<br>`;
    case "paragraph":
      return md`\n\n`;
  }
}

/** Renders a phrase as plain text that the caller still encodes. */
export function inPlain(phrase: Phrase): string {
  return phrase.map(plainOf).join("");
}

function plainOf(piece: Piece): string {
  switch (piece.type) {
    case "own":
      return piece.words;
    case "text":
    case "code":
      return piece.text;
    case "strong":
    case "place":
      return inPlain(piece.phrase);
    case "lines":
      return `\n${piece.lines.join("\n")}`;
    case "items":
      return piece.items.map((item) => `\n${inPlain(item)}`).join("");
    case "break":
    case "paragraph":
      return "\n";
  }
}

/**
 * Renders a phrase as HTML. `addressOf` returns the URL of a place, or undefined if it is unknown.
 */
export function inPage(phrase: Phrase, addressOf: (place: Place) => string | undefined): Page {
  return phrase.map((piece) => pageOf(piece, addressOf)).join("") as Page;
}

function pageOf(piece: Piece, addressOf: (place: Place) => string | undefined): Page {
  switch (piece.type) {
    case "own":
      return escapePage(piece.words);
    case "text":
      return escapePage(piece.text);
    case "code":
      return pageCode(piece.text);
    case "strong":
      return page`<strong>${inPage(piece.phrase, addressOf)}</strong>`;
    case "place":
      return pageLink(inPage(piece.phrase, addressOf), addressOf(piece.place));
    case "lines":
      return page`<pre>${escapePage(piece.lines.join("\n"))}</pre>`;
    case "items": {
      const items = piece.items.map((item) => page`<li>${inPage(item, addressOf)}</li>`);
      return page`<ul>${joined(items, "")}</ul>`;
    }
    case "break":
      return page`<br>`;
    case "paragraph":
      return page``;
  }
}

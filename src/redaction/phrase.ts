import type { Position } from "../model/problems/problem.ts";
import { code, codeBlock, escapeText, listItem, md } from "./markdown.ts";
import { escapePage, page, pageCode, pageLink } from "./page.ts";
import { joined, type Markdown, type Page } from "./shown.ts";

/**
 * A text that is independent of its format. A comment and a page show the same text, each with its
 * own encoders.
 * The templates of `say` contain qvs's own words. All other text comes from other sources.
 */
export type Phrase = readonly PhrasePiece[];

type PhrasePiece =
  | { readonly type: "own"; readonly words: OwnText }
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong"; readonly phrase: Phrase }
  | { readonly type: "place"; readonly place: FilePlace; readonly phrase: Phrase }
  | { readonly type: "lines"; readonly lines: readonly string[] }
  | { readonly type: "items"; readonly items: readonly Phrase[] }
  | { readonly type: "break" | "paragraph" };

type OwnText = string & { readonly [own]: true };
declare const own: unique symbol;

type FilePlace = Pick<Position, "file" | "line">;

/**
 * Returns a sentence or a part of it in plain words, which are the same in Markdown and in HTML.
 */
export function say(parts: TemplateStringsArray, ...values: readonly (Phrase | number)[]): Phrase {
  return parts.flatMap((part, i) => {
    const value = values[i] ?? [];
    const after = typeof value === "number" ? [ownText(String(value))] : value;
    return part === "" ? after : [ownText(part), ...after];
  });
}

/** Returns text from another source. */
export function text(given: string): Phrase {
  return [{ type: "text", text: given }];
}

/** Returns a name or a value. */
export function inlineCode(given: string): Phrase {
  return [{ type: "code", text: given }];
}

export function strong(phrase: Phrase): Phrase {
  return [{ type: "strong", phrase }];
}

/** Returns a place in a file. It becomes a link if the repository contains the file. */
export function placeLink(
  place: FilePlace,
  phrase = inlineCode(`${place.file}:${place.line}`),
): Phrase {
  return [{ type: "place", place, phrase }];
}

/** Returns lines of YAML below the text. */
export function yamlBlock(lines: readonly string[]): Phrase {
  return lines.length === 0 ? [] : [{ type: "lines", lines }];
}

/** Returns a list below the text. */
export function bulletList(items: readonly Phrase[]): Phrase {
  return items.length === 0 ? [] : [{ type: "items", items }];
}

export const lineBreak: Phrase = [{ type: "break" }];

/** Starts a new paragraph after lines of YAML or a list. */
export const paragraphBreak: Phrase = [{ type: "paragraph" }];

type PhraseSeparator = ", " | " · " | " and " | ", used by " | " → ";

export function joinPhrases(
  phrases: readonly Phrase[],
  between: PhraseSeparator | typeof lineBreak,
): Phrase {
  const separator = typeof between === "string" ? [ownText(between)] : between;
  return phrases.flatMap((phrase, i) => (i === 0 ? phrase : [...separator, ...phrase]));
}

function ownText(given: string): PhrasePiece {
  return { type: "own", words: given as OwnText };
}

/** Renders a phrase as Markdown. `show` renders a place. */
export function phraseToMarkdown(
  phrase: Phrase,
  show: (place: FilePlace, text: Markdown) => Markdown,
): Markdown {
  return phrase.map((piece) => pieceToMarkdown(piece, show)).join("") as Markdown;
}

function pieceToMarkdown(
  piece: PhrasePiece,
  show: (place: FilePlace, text: Markdown) => Markdown,
): Markdown {
  switch (piece.type) {
    case "own":
      return piece.words as string as Markdown;
    case "text":
      return escapeText(piece.text);
    case "code":
      return code(piece.text);
    case "strong":
      return md`**${phraseToMarkdown(piece.phrase, show)}**`;
    case "place":
      return show(piece.place, phraseToMarkdown(piece.phrase, show));
    case "lines":
      return md`\n\n${codeBlock("yaml", piece.lines)}`;
    case "items": {
      const items = piece.items.map((item) => listItem(phraseToMarkdown(item, show)));
      return md`\n\n${joined(items, "\n")}`;
    }
    case "break":
      return md`<br>`;
    case "paragraph":
      return md`\n\n`;
  }
}

/** Renders a phrase as plain text that the caller still encodes. */
export function phraseToText(phrase: Phrase): string {
  return phrase.map(pieceToText).join("");
}

function pieceToText(piece: PhrasePiece): string {
  switch (piece.type) {
    case "own":
      return piece.words;
    case "text":
    case "code":
      return piece.text;
    case "strong":
    case "place":
      return phraseToText(piece.phrase);
    case "lines":
      return `\n${piece.lines.join("\n")}`;
    case "items":
      return piece.items.map((item) => `\n${phraseToText(item)}`).join("");
    case "break":
    case "paragraph":
      return "\n";
  }
}

/**
 * Renders a phrase as HTML. `addressOf` returns the URL of a place, or undefined if it is unknown.
 */
export function phraseToHtml(
  phrase: Phrase,
  placeUrl: (place: FilePlace) => string | undefined,
): Page {
  return phrase.map((piece) => pieceToHtml(piece, placeUrl)).join("") as Page;
}

function pieceToHtml(piece: PhrasePiece, placeUrl: (place: FilePlace) => string | undefined): Page {
  switch (piece.type) {
    case "own":
      return escapePage(piece.words);
    case "text":
      return escapePage(piece.text);
    case "code":
      return pageCode(piece.text);
    case "strong":
      return page`<strong>${phraseToHtml(piece.phrase, placeUrl)}</strong>`;
    case "place":
      return pageLink(phraseToHtml(piece.phrase, placeUrl), placeUrl(piece.place));
    case "lines":
      return page`<pre>${escapePage(piece.lines.join("\n"))}</pre>`;
    case "items": {
      const items = piece.items.map((item) => page`<li>${phraseToHtml(item, placeUrl)}</li>`);
      return page`<ul>${joined(items, "")}</ul>`;
    }
    case "break":
      return page`<br>`;
    case "paragraph":
      return page``;
  }
}

import type { Svg } from "./for-programs.ts";
import { filledIn, type Page, type TerminalText } from "./shown.ts";
import { visible } from "./visible.ts";

/** HTML of our own with what the functions below have made of the words of others. */
export function page(parts: TemplateStringsArray, ...values: readonly (Page | number)[]): Page {
  return filledIn(parts, values);
}

/**
 * Text, or the value of an attribute in quotes. Line ends stay. The page may be printed to the log of a job as well, so there are no
 * orders to its runner in it: `::` and `##[`.
 */
export function escapePage(text: string): Page {
  return visible(text).replaceAll(
    /[&<>"'`]|(?<=:):|(?<=##)\[/g,
    (char) => `&#${char.charCodeAt(0)};`,
  ) as Page;
}

/** A name or a value on one line. */
export function pageCode(text: string): Page {
  const line = text.replaceAll(/[ \t\n]+/g, " ").trim();
  return line === "" ? page`<i>(empty)</i>` : page`<code>${escapePage(line)}</code>`;
}

/** A link of ours; where the address is none of the web, its text alone. */
export function pageLink(text: Page, address: string | undefined): Page {
  if (address === undefined || !URL.canParse(address)) return text;
  const { protocol, href } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return text;
  return page`<a href="${escapePage(href)}" rel="noopener noreferrer">${text}</a>`;
}

/** A drawing of ours, which is a part of HTML as it is. */
export function svgInPage(svg: Svg): Page {
  return svg as string as Page;
}

/** A style or a script of the program's own: nothing of it comes from elsewhere. */
export function ownCode(parts: TemplateStringsArray): Page {
  return parts.raw.join("") as Page;
}

/** On the standard output. */
export function pageText(whole: Page): TerminalText {
  return whole as string as TerminalText;
}

import type { Svg } from "./program-output.ts";
import { fillTemplate, type Page, type TerminalText } from "./shown.ts";
import { visible } from "./visible.ts";

/** Returns qvs's own HTML with encoded values. */
export function page(parts: TemplateStringsArray, ...values: readonly (Page | number)[]): Page {
  return fillTemplate(parts, values);
}

/**
 * Encodes text or a quoted attribute value; line ends stay. A page can also be printed to the log
 * of a job, so `::` and `##[` are encoded too: they start workflow commands.
 */
export function escapePage(text: string): Page {
  return visible(text).replaceAll(
    /[&<>"'`]|(?<=:):|(?<=##)\[/g,
    (char) => `&#${char.charCodeAt(0)};`,
  ) as Page;
}

/** Encodes a name or a value on one line. */
export function pageCode(text: string): Page {
  const line = text.replaceAll(/[ \t\n]+/g, " ").trim();
  return line === "" ? page`<i>(empty)</i>` : page`<code>${escapePage(line)}</code>`;
}

/** Returns a link. If the address isn't an HTTP or HTTPS URL, it returns only the text. */
export function pageLink(text: Page, address: string | undefined): Page {
  if (address === undefined || !URL.canParse(address)) return text;
  const { protocol, href } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return text;
  return page`<a href="${escapePage(href)}" rel="noopener noreferrer">${text}</a>`;
}

/** Returns a drawing as a part of the page. HTML needs no further encoding of it. */
export function embedSvg(svg: Svg): Page {
  return svg as string as Page;
}

/** Returns a style or script of qvs, without any text from other sources. */
export function trustedCode(parts: TemplateStringsArray): Page {
  return parts.raw.join("") as Page;
}

/** Returns a page for standard output. */
export function pageText(whole: Page): TerminalText {
  return whole as string as TerminalText;
}

import { marked } from "marked";

/**
 * Invisible characters, and characters that change how others look. These checks are written
 * without the program's own tables, so they find mistakes in them.
 */
const unseen: readonly (readonly [number, number])[] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0x1fffe, 0x1ffff],
  [0xe0000, 0xe001f],
  [0xe0080, 0x10ffff],
];

/** Returns the `unseen` characters, without the text that `allowed` matches. */
export function unseenIn(text: string, allowed = /\n/g): readonly string[] {
  const rest = [...text.replaceAll(allowed, "")].map((sign) => sign.codePointAt(0) ?? 0);
  const found = rest.filter((code) => unseen.some(([from, to]) => code >= from && code <= to));
  const tags = rest.filter((code, i) => code >= 0xe0020 && code <= 0xe007f && !isInFlag(rest, i));
  const selectors = rest.filter((code, i) => code === 0xfe0f && (rest[i - 1] ?? 0) < 0x2000);
  const marks = /[\p{M}]{17}/u.test(text) ? [0x300] : [];
  return [...found, ...tags, ...selectors, ...marks].map((code) => `U+${code.toString(16)}`);
}

/** Reports whether the tag belongs to a flag, such as England's: a black flag and several tags. */
function isInFlag(codes: readonly number[], at: number): boolean {
  let start = at;
  while ((codes[start] ?? 0) >= 0xe0020 && (codes[start] ?? 0) <= 0xe007f) start--;
  return codes[start] === 0x1f3f4;
}

/**
 * Returns lines that a runner would execute. It skips .NET's whitespace, and ends lines at CR and
 * LF.
 */
export function ordersIn(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.filter(
    (line) => line.replace(/^[\t-\r \u0085\p{Z}]+/u, "").startsWith("::") || line.includes("##["),
  );
}

/** Colors that qvs writes, and line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: qvs writes these
export const colours = /\n|\x1b\[(?:1|2|22|3[0-9]|39|9\d)m/g;

/** Returns the elements of a rendered page in order, without their content. */
export function structureOf(markdown: string): string {
  const tags = htmlOf(markdown).match(/<\/?[a-z][a-z0-9]*/g) ?? [];
  // A place is shown as a link if the repository can contain such a file. `strangeLinksIn` checks
  // the targets of links.
  return tags.filter((tag) => !/^<\/?a$/.test(tag)).join("");
}

/**
 * Returns links to targets outside the repository. An untrusted text must not choose where readers
 * go.
 */
export function strangeLinksIn(markdown: string): readonly string[] {
  const targets = [...htmlOf(markdown).matchAll(/<a [^>]*href="([^"]*)"/g)].map(
    ([, href]) => href ?? "",
  );
  const isOwn = (href: string) => /^(#|https:\/\/github\.com\/acme\/)/.test(href);
  const leadsOut = (href: string) => /\/blob\/.*\/\.{0,2}(\/|#|$)/.test(href);
  return targets.filter((href) => !isOwn(href) || leadsOut(href));
}

/**
 * Returns the tags of a page with the names of their attributes. It includes the values that affect
 * a browser. `strangeAddressesIn` checks the targets of links.
 */
export function tagsOf(page: string): string {
  const tags = page.match(/<[^>]*>/g) ?? [];
  const rest = tags.filter((tag) => !/^<\/?(a|path|polygon|rect|text|svg)[ >]/.test(tag));
  return rest.map((tag) => tag.replaceAll(/ (aria-label|data-action)="[^"]*"/g, " $1")).join("");
}

/** Returns the links of a page to targets outside the page and the repository. */
export function strangeAddressesIn(page: string): readonly string[] {
  const tags = (page.match(/<[^>]*>/g) ?? []).join("");
  const values = [...tags.matchAll(/ ([a-z-]+)="([^"]*)"/g)].filter(([, name = ""]) =>
    ["href", "src", "action"].includes(name),
  );
  const targets = values.map(([, , value = ""]) => value);
  const isOwn = (target: string) => /^(#d\d+(-c\d+)?$|https:\/\/github\.com\/acme\/)/.test(target);
  const leadsOut = (target: string) => /\/blob\/.*\/\.{0,2}(\/|#|$)/.test(target);
  return targets.filter((target) => !isOwn(target) || leadsOut(target));
}

/**
 * Returns the parts of the prose that GitHub turns into links or emojis: mentions, references,
 * commits and addresses.
 */
export function linksIn(markdown: string): readonly string[] {
  const prose = htmlOf(markdown).replaceAll(/<(code|pre)[\s>].*?<\/\1>/gs, " ");
  const text = prose
    .replaceAll(/<a [^>]*>.*?<\/a>/gs, " ")
    .replaceAll(/<(?!!--)[^>]*>/g, " ")
    .replaceAll(/&#\d+;/g, " ");
  return (
    text.match(
      /@[a-z0-9]|#\d|\bGH-\d|\bwww\.|:\/\/|(?<![\w./-])(?=[a-f]*\d|\d*[a-f])[0-9a-f]{7,40}(?!\w)|:(?!\d+:)[a-z0-9_+-]+:|:100:/gi,
    ) ?? []
  );
}

/** The invisible line with the digests of approved plans, in letters and digits only. */
const approvalLine = /^<!-- qvs-action:approval v1 [0-9a-f]{40}(?: [\w%.!~*'()-]+=[\w.-]+)* -->$/m;

function htmlOf(given: string): string {
  const markdown = given.replace(approvalLine, "");
  return marked.parse(markdown, { async: false, gfm: true });
}

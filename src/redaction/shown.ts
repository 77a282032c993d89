/**
 * Text that can be shown, by output format. A plain `string` counts as text from another source: a
 * repository, a cluster or GitHub can have written it.
 * Only the encoders in this directory convert it to one of these types, and outputs accept nothing
 * else. The compiler thus finds every place without an encoder.
 */
export type Shown<Target extends string> = string & { readonly [target]: Target };

declare const target: unique symbol;

/** Comments, summaries and documents that GitHub renders. */
export type Markdown = Shown<"Markdown">;

/** The title of an issue, which is plain text. */
export type IssueTitle = Shown<"issue title">;

/** The title of a check, which GitHub shows as it is. */
export type CheckTitle = Shown<"check title">;

/** Text where GitHub doesn't read Markdown: within `<summary>`. */
export type Html = Shown<"HTML">;

/** A complete HTML document of qvs for browsers. */
export type Page = Shown<"page">;

/**
 * Lines for a terminal. They can also be the log of a job, so they never contain workflow commands.
 */
export type TerminalText = Shown<"terminal">;

/** A stream that accepts only safe text: standard output or standard error. */
export interface TextStream extends Omit<NodeJS.WritableStream, "write" | "end"> {
  write(text: TerminalText): boolean;
  readonly isTTY?: boolean;
  /** The width and height of a terminal. */
  readonly columns?: number;
  readonly rows?: number;
}

/** A message next to a line of a file, or one of its properties. */
export type AnnotationText = Shown<"annotation">;

/** The text between parts. It is safe in every output format. */
type Separator = "" | "\t" | " " | ", " | " · " | " and " | " → " | "  " | "\n" | "\n\n" | "<br>";

export function joined<T extends Shown<string>>(parts: readonly T[], separator: Separator): T {
  return parts.join(separator) as T;
}

/** Fills a template. Its own text is qvs's, and an encoder of the same format made its values. */
export function fillTemplate<T extends Shown<string>>(
  parts: TemplateStringsArray,
  values: readonly (T | number)[],
): T {
  return parts.map((part, i) => part + String(values[i] ?? "")).join("") as T;
}

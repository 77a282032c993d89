/**
 * Text that may be shown, by where. A plain `string` counts as text from elsewhere: a repository, a cluster or GitHub may have
 * written it. Only the encoders of this folder make one of these types of it, and whatever shows text takes nothing else, so
 * the compiler finds each place where an encoder is missing.
 */
export type Shown<Target extends string> = string & { readonly [target]: Target };

declare const target: unique symbol;

/** Comments, summaries and documents that GitHub renders. */
export type Markdown = Shown<"Markdown">;

/** The title of an issue, which is plain text. */
export type IssueTitle = Shown<"issue title">;

/** Where Markdown is not read: within `<summary>`. */
export type Html = Shown<"HTML">;

/** A whole HTML document of ours, which browsers read as it is. */
export type Page = Shown<"page">;

/** Lines for a terminal. Each may as well be the log of a job, and what a runner takes for orders is none on a terminal either. */
export type TerminalText = Shown<"terminal">;

/** A stream that takes only what was made safe for it: the standard output or the standard error. */
export interface TextStream extends Omit<NodeJS.WritableStream, "write" | "end"> {
  write(text: TerminalText): boolean;
  readonly isTTY?: boolean;
  /** How wide and high a terminal is. */
  readonly columns?: number;
  readonly rows?: number;
}

/** A message beside a line of a file, or a property of it. */
export type AnnotationText = Shown<"annotation">;

/** Between parts, where all of them may be shown in the same place. */
type Separator = "" | "\t" | " " | ", " | " · " | " and " | " → " | "  " | "\n" | "\n\n" | "<br>";

export function joined<T extends Shown<string>>(parts: readonly T[], separator: Separator): T {
  return parts.join(separator) as T;
}

/** A template whose own text is the program's, and whose values an encoder of the same place has made. */
export function filledIn<T extends Shown<string>>(
  parts: TemplateStringsArray,
  values: readonly (T | number)[],
): T {
  return parts.map((part, i) => part + String(values[i] ?? "")).join("") as T;
}

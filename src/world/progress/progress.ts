import type { ProgressReporter } from "../../ports/terminal.ts";
import type { TextStream } from "../../redaction/shown.ts";
import { createLiveProgress } from "./live-progress.ts";
import { createPlainProgress } from "./plain-progress.ts";

export interface TerminalProgress extends ProgressReporter {
  /** Releases the terminal. It's needed only if the deployment ended without a `finished` event. */
  close(): void;
}

/** The stream of the progress: stderr, so that stdout contains only the result. */
export type ProgressStream = TextStream;

export interface ProgressSettings {
  readonly stream: ProgressStream;
  readonly nameOf: (key: string) => string;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** True if `::group::` folds the following lines, as in the log of a GitHub runner. */
  readonly groups: boolean;
  /** True if the command prints the result and its counts to the same terminal at the end. */
  readonly resultFollows?: boolean;
  /** The name at the start of each line, if several deployments write at the same time. */
  readonly name?: string;
}

/**
 * Shows a deployment: as a live tree on a terminal, as plain lines elsewhere.
 * `nameOf` returns the display name for a key of the plan.
 */
export function createProgress(
  stream: ProgressStream,
  nameOf: (key: string) => string,
  environment: Readonly<Record<string, string | undefined>>,
  {
    now = Date.now,
    resultFollows = false,
  }: Partial<Pick<ProgressSettings, "now" | "resultFollows">> = {},
): TerminalProgress {
  const groups = environment.GITHUB_ACTIONS === "true";
  const settings = { stream, nameOf, now, groups, resultFollows };
  return canBeRedrawn(stream, environment)
    ? createLiveProgress(settings)
    : createPlainProgress(settings);
}

/**
 * Shows one of several deployments that run at the same time.
 * It prints plain lines with the deployment's name. It uses no groups, because they would contain
 * the lines of other deployments.
 */
export function createNamedProgress(
  name: string,
  stream: ProgressStream,
  nameOf: (key: string) => string,
  now: () => number = Date.now,
): TerminalProgress {
  return createPlainProgress({ stream, nameOf, now, groups: false, name });
}

/**
 * Reports whether the stream is a terminal that can be redrawn.
 * Some pseudo terminals report a size of zero, so nothing can be drawn on them.
 */
function canBeRedrawn(
  stream: ProgressStream,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const hasSize = stream.columns !== 0 && stream.rows !== 0;
  return stream.isTTY === true && hasSize && environment.TERM !== "dumb" && !environment.CI;
}

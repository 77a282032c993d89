import type { Progress } from "../../ports/terminal.ts";
import type { TextStream } from "../../redaction/shown.ts";
import { createLiveProgress } from "./live-progress.ts";
import { createPlainProgress } from "./plain-progress.ts";

export interface TerminalProgress extends Progress {
  /** Gives the terminal back; needed only when the deployment ended without a `finished` event. */
  close(): void;
}

/** Stderr, so that stdout carries the result and nothing else. */
export type Terminal = TextStream;

export interface ProgressSettings {
  readonly stream: Terminal;
  readonly nameOf: (key: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether `::group::` folds the lines that follow, as in the log of a GitHub runner. */
  readonly groups: boolean;
  /** Where several write at the same time, what each line begins with, so that a reader can tell whose it is. */
  readonly name?: string;
}

/**
 * Shows a deployment: as a live tree on a terminal, as plain lines anywhere else. `nameOf` gives the names by which
 * people know the keys of the plan.
 */
export function createProgress(
  stream: Terminal,
  nameOf: (key: string) => string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  now: () => number = Date.now,
): TerminalProgress {
  const settings = { stream, nameOf, now, groups: environment.GITHUB_ACTIONS === "true" };
  return canBeRedrawn(stream, environment)
    ? createLiveProgress(settings)
    : createPlainProgress(settings);
}

/**
 * Shows one of several deployments that run at the same time: as plain lines that name it, and without groups, into which the lines of
 * the others would fall.
 */
export function createNamedProgress(
  name: string,
  stream: Terminal,
  nameOf: (key: string) => string,
  now: () => number = Date.now,
): TerminalProgress {
  return createPlainProgress({ stream, nameOf, now, groups: false, name });
}

/** Some pseudo terminals claim to be of no size at all; nothing can be drawn on those. */
function canBeRedrawn(
  stream: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const hasSize = stream.columns !== 0 && stream.rows !== 0;
  return stream.isTTY === true && hasSize && environment.TERM !== "dumb" && !environment.CI;
}

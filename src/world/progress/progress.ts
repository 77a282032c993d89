import type { ProgressReporter } from "../../ports/terminal.ts";
import type { TerminalText, TextStream } from "../../redaction/shown.ts";
import { streamPainter, terminal } from "../../redaction/terminal.ts";
import { initialProgress, updateProgress } from "../../report/terminal/deploy-progress.ts";
import { eventLine } from "../../report/terminal/event-line.ts";
import { renderLive } from "../../report/terminal/render-live.ts";
import { renderSummary, renderTable } from "../../report/terminal/render-summary.ts";
import { createPlainProgress } from "./plain-progress.ts";

export interface TerminalProgress extends ProgressReporter {
  /** Releases the terminal. It's needed only if the deployment ended without a `finished` event. */
  close(): void;
}

/** The stream of the progress: stderr, so that stdout contains only the result. */
type ProgressStream = TextStream;

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

/**
 * The interval of the frames: ten per second. A redraw for each event would make the screen
 * flicker.
 */
const frameMs = 100;

function createLiveProgress({
  stream,
  nameOf,
  now,
  resultFollows = false,
}: ProgressSettings): TerminalProgress {
  const paint = streamPainter(stream);
  const screen = openScreen(stream);
  let progress = initialProgress(now());
  let running = true;
  const show = () => {
    const { columns = 80, rows = 24 } = stream;
    screen.draw(renderLive(progress, now(), { columns, rows, paint, nameOf }));
  };
  let timer = start();

  function start() {
    const begun = setInterval(show, frameMs);
    begun.unref();
    return begun;
  }

  function close(): void {
    if (!running) return;
    running = false;
    clearInterval(timer);
    screen.clear();
  }

  return {
    report(event) {
      progress = updateProgress(progress, event, now());
      // The result has the time from the planning on. The screen must not show another one.
      if (event.type === "preparing") progress = { ...progress, started: now() };
      if (event.type === "going-back") {
        stream.write(terminal`${eventLine(event, nameOf)}\n`);
        running = true;
        timer = start();
      }
      if (event.type === "lock-kept") {
        close();
        stream.write(terminal`${eventLine(event, nameOf)}\n`);
      }
      if (event.type !== "finished") return;
      close();
      const render = resultFollows ? renderTable : renderSummary;
      const shown = render(progress, now(), nameOf, paint, stream.columns || 80);
      if (shown !== "") stream.write(terminal`${shown}\n`);
    },
    close,
  };
}

interface FrameScreen {
  /** Draws a frame in place of the previous one. */
  draw(frame: TerminalText): void;
  /** Removes the last frame. */
  clear(): void;
}

/**
 * Loads the drawing library only if there is something to draw.
 * Loading takes as long as a tenth of a preview. Until then, the screen shows nothing.
 */
function openScreen(stream: ProgressStream): FrameScreen {
  let update: ReturnType<typeof import("log-update").createLogUpdate> | undefined;
  void import("log-update").then(({ createLogUpdate }) => {
    update = createLogUpdate(stream as NodeJS.WritableStream);
  });
  return {
    draw: (frame) => update?.(frame),
    clear() {
      update?.clear();
      update?.done();
    },
  };
}

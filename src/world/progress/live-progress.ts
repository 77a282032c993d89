import type { TerminalText } from "../../redaction/shown.ts";
import { streamPainter, terminal } from "../../redaction/terminal.ts";
import { initialProgress, updateProgress } from "../../report/terminal/deploy-progress.ts";
import { eventLine } from "../../report/terminal/event-line.ts";
import { renderLive } from "../../report/terminal/render-live.ts";
import { renderSummary, renderTable } from "../../report/terminal/render-summary.ts";
import type { ProgressSettings, ProgressStream, TerminalProgress } from "./progress.ts";

/**
 * The interval of the frames: ten per second. A redraw for each event would make the screen
 * flicker.
 */
const frameMs = 100;

export function createLiveProgress({
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

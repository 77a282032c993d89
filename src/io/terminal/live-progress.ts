import { createLogUpdate } from "log-update";
import { paintFor } from "./paint.ts";
import { emptyPicture, withEvent } from "./picture.ts";
import type { ProgressSettings, TerminalProgress } from "./progress.ts";
import { renderLive } from "./render-live.ts";
import { renderSummary } from "./render-summary.ts";

/** Ten pictures a second: events are many, and a screen that is redrawn for each of them flickers. */
const frameMs = 100;

export function createLiveProgress({ stream, nameOf, now }: ProgressSettings): TerminalProgress {
  const paint = paintFor(stream);
  const draw = createLogUpdate(stream);
  let picture = emptyPicture(now());
  let running = true;
  const show = () => {
    const { columns = 80, rows = 24 } = stream;
    draw(renderLive(picture, now(), { columns, rows, paint, nameOf }));
  };
  const timer = setInterval(show, frameMs);
  timer.unref();

  function close(): void {
    if (!running) return;
    running = false;
    clearInterval(timer);
    draw.clear();
    draw.done();
  }

  return {
    report(event) {
      picture = withEvent(picture, event, now());
      if (event.type !== "finished") return;
      close();
      stream.write(`${renderSummary(picture, now(), nameOf, paint)}\n`);
    },
    close,
  };
}

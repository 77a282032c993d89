import type { DeployEvent } from "../../model/event.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { plainText, terminal } from "../../redaction/terminal.ts";
import { doing, done, transferText } from "./deploy-progress.ts";

/** Renders an event as one line of plain text. `nameOf` returns the display name of a key. */
export function lineFor(event: DeployEvent, nameOf: (key: string) => string): TerminalText {
  switch (event.type) {
    case "preparing":
      return {
        compiling: terminal`Compiling`,
        planning: terminal`Planning`,
        watching: terminal`Waiting until all is ready`,
      }[event.step];
    case "stopping":
      return terminal`Cancelling: what is under way is finished and recorded; Ctrl-C again ends at once`;
    case "planned":
      return terminal`Plan: ${event.upserts} to create or update, ${event.deletions} to delete, ${event.unchanged} unchanged`;
    case "lock-waiting":
      return terminal`Waiting for the lock, which ${plainText(event.holder)} holds`;
    case "lock-asked":
      return terminal`Asked ${plainText(event.holder)} to give way, since this run is newer`;
    case "going-back":
      return terminal`Going back to release ${plainText(String(event.to))}`;
    case "rolling-back":
      return terminal`Rolling back to ${plainText(event.to)}`;
    case "giving-way":
      return terminal`Giving way to a newer run, ${plainText(event.by)}: what is under way is finished and recorded`;
    case "lock-kept":
      return terminal`The lock could not be given back, so the next run waits until it expires: ${plainText(event.why)}`;
    case "recorded":
      return terminal`Recorded as release ${event.revision}`;
    case "stage-started":
      return terminal`Stage ${plainText(event.stage)}`;
    case "finished":
      return plainText(
        {
          succeeded: "Finished",
          failed: "Failed",
          cancelled: "Cancelled",
          superseded: "Superseded",
        }[event.ending],
      );
    default:
      return terminal`${plainText(nameOf(event.key))}: ${plainText(happening(event))}`;
  }
}

function happening(event: Extract<DeployEvent, { readonly key: string }>): string {
  switch (event.type) {
    case "applying":
      return event.transfers === undefined ? doing[event.action] : transferText(event.transfers);
    case "applied":
      return done[event.action];
    case "waiting":
      return `waiting: ${event.why}`;
    case "ready":
      return event.notice === undefined ? "ready" : `ready (${event.notice})`;
    case "failed":
      return `FAILED: ${event.why}`;
    case "deleting":
      return "deleting";
    case "deleted":
      return "deleted";
    case "kept":
      return `kept: ${event.why}`;
  }
}

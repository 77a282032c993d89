import type { DeployEvent } from "../../model/deployments/event.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { plainText, terminal } from "../../redaction/terminal.ts";
import { pastVerbs, presentVerbs, transferText } from "./deploy-progress.ts";

/** Renders an event as one line of plain text. `nameOf` returns the display name of a key. */
export function eventLine(event: DeployEvent, displayName: (key: string) => string): TerminalText {
  switch (event.type) {
    case "preparing":
      return {
        compiling: terminal`Compiling`,
        reading: terminal`Reading the cluster`,
        planning: terminal`Planning`,
        watching: terminal`Waiting until all objects are ready`,
      }[event.step];
    case "stopping":
      return terminal`Canceling: qvs finishes and records the current steps. Press Ctrl-C again to stop immediately`;
    case "planned":
      return terminal`Plan: ${event.upserts} to create or update, ${event.deletions} to delete, ${event.unchanged} unchanged`;
    case "lock-waiting":
      return terminal`Waiting for the deployment lock, held by ${plainText(event.holder)}`;
    case "lock-asked":
      return terminal`Asked ${plainText(event.holder)} to yield, because this run is newer`;
    case "going-back":
      return terminal`Restoring release ${plainText(String(event.to))}`;
    case "rolling-back":
      return terminal`Rolling back to ${plainText(event.to)}`;
    case "giving-way":
      return terminal`Yielding to a newer run, ${plainText(event.by)}: qvs finishes and records the current steps`;
    case "lock-kept":
      return terminal`Couldn't release the deployment lock, so the next run waits until it expires: ${plainText(event.why)}`;
    case "recorded":
      return terminal`Recorded as release ${event.revision}`;
    case "stage-started":
      return terminal`Stage ${plainText(event.stage)}`;
    case "finished":
      return plainText(
        {
          succeeded: "Finished",
          failed: "Failed",
          cancelled: "Canceled",
          superseded: "Superseded",
        }[event.ending],
      );
    default:
      return terminal`${plainText(displayName(event.key))}: ${plainText(objectEventText(event))}`;
  }
}

function objectEventText(event: Extract<DeployEvent, { readonly key: string }>): string {
  switch (event.type) {
    case "applying":
      return event.transfers === undefined
        ? presentVerbs[event.action]
        : transferText(event.transfers);
    case "applied":
      return pastVerbs[event.action];
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

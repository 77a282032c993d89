import type { DeployEvent } from "../../model/event.ts";
import { adoption, doing, done } from "./picture.ts";
import { plainText } from "./plain-text.ts";

/** One event as one line of plain text, without its time. `nameOf` turns a key into what people call the object. */
export function lineFor(event: DeployEvent, nameOf: (key: string) => string): string {
  switch (event.type) {
    case "preparing":
      return { compiling: "Compiling", planning: "Planning" }[event.step];
    case "stopping":
      return "Stopping: what is under way is finished and recorded; Ctrl-C again ends at once";
    case "planned":
      return `Plan: ${event.upserts} to create or update, ${event.deletions} to delete, ${event.unchanged} unchanged`;
    case "lock-waiting":
      return `Waiting for the lock, which ${plainText(event.holder)} holds`;
    case "recorded":
      return `Recorded as release ${event.revision}`;
    case "stage-started":
      return `Stage ${event.stage}`;
    case "finished":
      return { succeeded: "Finished", failed: "Failed", cancelled: "Cancelled" }[event.ending];
    default:
      return `${plainText(nameOf(event.key))}: ${plainText(happening(event))}`;
  }
}

function happening(event: Extract<DeployEvent, { readonly key: string }>): string {
  switch (event.type) {
    case "applying":
      return event.adopts === undefined ? doing[event.action] : adoption(event.adopts);
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

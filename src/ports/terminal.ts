import type { DeployEvent } from "../model/event.ts";

/** Where people watch: a live tree on a terminal, plain lines elsewhere. */
export interface Progress {
  report(event: DeployEvent): void;
}

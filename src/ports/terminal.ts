import type { DeployEvent } from "../model/deployments/event.ts";

/** The progress output for users: a live tree on a terminal, plain lines elsewhere. */
export interface ProgressReporter {
  report(event: DeployEvent): void;
}

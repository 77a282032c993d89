import type { DeployEvent } from "../../../src/model/deployments/event.ts";
import {
  type DeployProgress,
  initialProgress,
  updateProgress,
} from "../../../src/report/terminal/deploy-progress.ts";

/** Returns the progress after these events, one per second. */
export function progressAfter(...events: readonly DeployEvent[]): DeployProgress {
  return events.reduce(
    (progress, event, index) => updateProgress(progress, event, (index + 1) * 1000),
    initialProgress(0),
  );
}

/** Returns the name of an object: its key in capitals. */
export function nameOf(key: string): string {
  return key.toUpperCase();
}

export function applying(key: string): DeployEvent {
  return { type: "applying", key, action: "create" };
}

export function ready(key: string): DeployEvent {
  return { type: "ready", key, notice: undefined };
}

export function waiting(key: string, why: string, isTrouble = false): DeployEvent {
  return { type: "waiting", key, why, isTrouble };
}

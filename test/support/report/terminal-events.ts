import type { DeployEvent } from "../../../src/model/event.ts";
import {
  type DeployProgress,
  initialProgress,
  updateProgress,
} from "../../../src/report/terminal/deploy-progress.ts";

/** The progress after events that come a second apart. */
export function progressAfter(...events: readonly DeployEvent[]): DeployProgress {
  return events.reduce(
    (progress, event, index) => updateProgress(progress, event, (index + 1) * 1000),
    initialProgress(0),
  );
}

/** Keys of tests are short, their names are the same in capitals. */
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

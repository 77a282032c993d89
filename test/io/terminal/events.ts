import { emptyPicture, type Picture, withEvent } from "../../../src/io/terminal/picture.ts";
import type { DeployEvent } from "../../../src/model/event.ts";

/** The picture after events that come a second apart. */
export function pictureAfter(...events: readonly DeployEvent[]): Picture {
  return events.reduce(
    (picture, event, index) => withEvent(picture, event, (index + 1) * 1000),
    emptyPicture(0),
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

export function waiting(key: string, why: string): DeployEvent {
  return { type: "waiting", key, why };
}

import { type Json, listAt, numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { harmlessParts, quotesCommands } from "./quoted-commands.ts";
import { oneLine } from "./status.ts";

/** A Pod's report on one of its containers. */
export interface ContainerState {
  readonly name: string;
  readonly image: string;
  readonly running: boolean;
  /** The reason of the waiting state, such as ImagePullBackOff. Empty if it isn't waiting. */
  readonly waitingFor: string;
  readonly message: string;
  /** The exit code of the last ended run. Undefined if none has ended. */
  readonly exitCode: number | undefined;
  /** The reason of the exit, such as OOMKilled or Error. */
  readonly exitReason: string;
  readonly restarts: number;
}

/** Lists the containers of a Pod. Init containers are first, as they run first. */
export function readContainerStates(pod: KubeObject): readonly ContainerState[] {
  const lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];
  return lists.flatMap((list) => listAt(pod, "status", list).map(readContainer));
}

/**
 * Formats a container: `container web: CrashLoopBackOff: back-off 10s …, exit code 1 (Error), 4
 * restarts`.
 */
export function containerText(container: ContainerState): string {
  const parts = [[container.waitingFor, container.message].filter((t) => t !== "").join(": ")];
  if (container.exitCode !== undefined) {
    const reason = container.exitReason === "" ? "" : ` (${container.exitReason})`;
    parts.push(`exit code ${container.exitCode}${reason}`);
  }
  if (container.restarts > 0) parts.push(`${container.restarts} restarts`);
  return `container ${container.name}: ${parts.filter((part) => part !== "").join(", ")}`;
}

function readContainer(status: Json): ContainerState {
  const ended = ["state", "lastState"].find(
    (s) => numberAt(status, s, "terminated", "exitCode") !== undefined,
  );
  const end = ended === undefined ? [] : [ended, "terminated"];
  const waitingFor = textAt(status, "state", "waiting", "reason") ?? "";
  const message = textAt(status, "state", "waiting", "message") ?? "";
  return {
    name: textAt(status, "name") ?? "",
    image: textAt(status, "image") ?? "",
    running: textAt(status, "state", "running", "startedAt") !== undefined,
    waitingFor,
    message: quotesCommands(waitingFor, message) ? harmlessParts(message) : oneLine(message),
    exitCode: ended === undefined ? undefined : numberAt(status, ...end, "exitCode"),
    exitReason: ended === undefined ? "" : (textAt(status, ...end, "reason") ?? ""),
    restarts: numberAt(status, "restartCount") ?? 0,
  };
}

import { isObject, type Json, textAt } from "../../model/json.ts";
import { isKubeObject, type KubeObject } from "../../model/object.ts";
import type { Answer, WatchEvent } from "../../ports.ts";
import { failure, parsed, statusFailure } from "./failure.ts";
import { linesOf } from "./lines.ts";
import type { Transport } from "./transport.ts";
import { unreachable } from "./unreachable.ts";

/** One line of a watch: a change, or only how far the server has come (a bookmark). */
export interface WatchLine {
  readonly type: WatchEvent["type"] | "BOOKMARK";
  readonly object: KubeObject;
}

/** How much longer than agreed a watch may last, in milliseconds, before its connection is taken for dead. */
const grace = 30_000;

/** One watch request from a resourceVersion on. A failure is the last thing it yields; it ends without one when the server ends it. */
export async function* watchStream(
  transport: Transport,
  path: string,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<Answer<WatchLine>> {
  const duration = transport.pace.watchDuration;
  const opened = await transport.stream(
    {
      method: "GET",
      path,
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion,
        timeoutSeconds: String(Math.ceil(duration / 1000)),
      },
      repeatable: true,
    },
    AbortSignal.any([signal, AbortSignal.timeout(duration + grace)]),
  );
  if (!opened.ok) {
    yield opened;
    return;
  }
  try {
    for await (const line of linesOf(opened.value)) yield lineOf(line);
  } catch (error) {
    yield unreachable(transport.server, error);
  }
}

const types: readonly string[] = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"];

function lineOf(text: string): Answer<WatchLine> {
  const line = parsed(text);
  const type = textAt(line, "type") ?? "";
  const object: Json | undefined = isObject(line) ? line.object : undefined;
  if (type === "ERROR" && object !== undefined) return statusFailure(object, 200);
  if (!types.includes(type) || !isKubeObject(object)) {
    return failure("other", "the server sent something that is not a watch event", 200);
  }
  return { ok: true, value: { type: type as WatchLine["type"], object } };
}

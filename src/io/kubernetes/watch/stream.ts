import { isObject, type Json, textAt } from "../../../model/json.ts";
import { isKubeObject, type KubeObject } from "../../../model/object.ts";
import type { Answer, WatchEvent } from "../../../ports.ts";
import { failure, parsed } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";
import { linesOf } from "./lines.ts";

/** One line of a watch: a change, or only how far the server has come (a bookmark). */
export interface WatchLine {
  readonly type: WatchEvent["type"] | "BOOKMARK";
  readonly object: KubeObject;
}

/** How much longer than agreed a watch may last, in milliseconds, before its connection is taken for dead. */
const grace = 30_000;

/**
 * One watch request from a resourceVersion on. It fails when there is no watch, as "expired" when only a new list
 * helps, and that is the last thing it yields. It just ends when the server ends it or the connection is cut.
 */
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
  for await (const line of linesOf(opened.value)) yield lineOf(line);
}

const types: readonly string[] = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"];

function lineOf(text: string): Answer<WatchLine> {
  const line = parsed(text);
  const type = textAt(line, "type") ?? "";
  const object: Json | undefined = isObject(line) ? line.object : undefined;
  if (!types.includes(type) || !isKubeObject(object)) {
    // An ERROR is most often 410. Whatever else troubles the server, resuming would only meet it again.
    return failure("expired", textAt(object, "message") ?? "the server sent no watch event", 410);
  }
  return { ok: true, value: { type: type as WatchLine["type"], object } };
}

import type { Readable } from "node:stream";
import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import {
  deepestNesting,
  exceedsMaxNesting,
  isObject,
  type Json,
  parseJson,
  textAt,
} from "../../../model/json.ts";
import { isKubeObject, type KubeObject } from "../../../model/object.ts";
import type { WatchEvent } from "../../../ports/kubernetes.ts";
import { errorCode, failure } from "../transport/failure.ts";
import { BoundsExceeded, mebibytes } from "../transport/limits.ts";
import type { Transport } from "../transport/transport.ts";

/** One line of a watch: a change, or a bookmark, which only shows the server's progress. */
export interface WatchLine {
  readonly type: WatchEvent["type"] | "BOOKMARK";
  readonly object: KubeObject;
  /** The length of the line in characters. */
  readonly size: number;
}

interface WatchRequest {
  readonly path: string;
  readonly resourceVersion: string;
  readonly labelSelector: string | undefined;
  /** Undefined for whole objects. */
  readonly accept: string | undefined;
}

/**
 * The time that a watch can exceed its agreed duration, in milliseconds. Afterwards, qvs treats the
 * connection as dead.
 */
const grace = 30_000;

/**
 * Yields the lines of one watch request from a resourceVersion on. A failure is the last item; it
 * is "expired" if only a new list helps. The stream ends without a failure when the server ends it
 * or the connection is cut.
 */
export async function* watchStream(
  transport: Transport,
  { path, resourceVersion, labelSelector, accept }: WatchRequest,
  signal: AbortSignal,
): AsyncGenerator<ApiResult<WatchLine>> {
  const duration = transport.pace.watchDuration;
  const opened = await transport.stream(
    {
      method: "GET",
      path,
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        labelSelector,
        resourceVersion,
        timeoutSeconds: String(Math.ceil(duration / 1000)),
      },
      ...(accept === undefined ? {} : { accept }),
      repeatable: true,
    },
    AbortSignal.any([signal, AbortSignal.timeout(duration + grace)]),
  );
  if (!opened.ok) {
    yield opened;
    return;
  }
  try {
    for await (const line of readLines(opened.value, transport.bounds.line)) yield parseLine(line);
  } catch (error) {
    if (!(error instanceof BoundsExceeded)) throw error;
    yield failure("beyond-bounds", error.message);
  }
}

const types: readonly string[] = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"];

function parseLine(text: string): ApiResult<WatchLine> {
  if (exceedsMaxNesting(text)) {
    throw new BoundsExceeded(`an object that nests deeper than ${deepestNesting} levels`);
  }
  const line = parseJson(text);
  const type = textAt(line, "type") ?? "";
  const object: Json | undefined = isObject(line) ? line.object : undefined;
  if (!types.includes(type) || !isKubeObject(object)) {
    // An ERROR event is usually a 410. After any other error, resuming would only repeat it.
    return failure(
      "expired",
      textAt(object, "message") ?? "the API server sent no watch event",
      410,
    );
  }
  return { ok: true, value: { type: type as WatchLine["type"], object, size: text.length } };
}

/**
 * Yields the complete lines of a stream until it ends or is cut, and drops an incomplete line. Both
 * cases are the same here: when the watch resumes, it shows whether the server still answers.
 * Throws if a line has more than `limit` characters.
 */
async function* readLines(stream: Readable, limit: number): AsyncGenerator<string> {
  // Decodes chunks as text, without breaking characters that span two chunks.
  stream.setEncoding("utf8");
  let parts: string[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      const [end = "", ...lines] = (chunk as string).split("\n");
      parts.push(end);
      length += end.length;
      for (const line of lines) {
        yield parts.join("");
        parts = [line];
        length = line.length;
      }
      if (length > limit) throw new BoundsExceeded(`a line of more than ${mebibytes(limit)}`);
    }
  } catch (error) {
    if (!isCut(error)) throw error;
  }
}

/**
 * Reports whether the connection was cut. Errors of the system and of streams have a code; a bug
 * has none.
 */
function isCut(error: unknown): boolean {
  return errorCode(error) !== undefined;
}

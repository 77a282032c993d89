import { anything } from "../transport/transport.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/**
 * Returns the last lines of a container's log. Logs only explain a failure, so a missing log isn't
 * another failure.
 */
export async function logTail(
  { transport, discovery }: Api,
  namespace: string,
  pod: string,
  container: string,
  lines: number,
): Promise<string | undefined> {
  const address = { apiVersion: "v1", kind: "Pod", namespace, name: pod };
  const path = await objectPath(discovery, address);
  if (!path.ok) return undefined;
  const { answer } = await transport.send({
    method: "GET",
    path: `${path.value}/log`,
    query: { container, tailLines: String(lines), limitBytes: String(limitBytes) },
    accept: anything,
    // Some servers count the bytes that they read of a log, not the bytes that they return.
    bound: 2 * limitBytes,
    repeatable: true,
  });
  return answer.ok && answer.value !== "" ? answer.value : undefined;
}

/** The maximum size of a log, because a single line can be endless. */
const limitBytes = 256 * 1024;

import { anything } from "../transport/transport.ts";
import type { Api } from "./api.ts";
import { objectPath } from "./paths.ts";

/** The last lines of a container's log. Logs only explain a failure, so not having one is never another failure. */
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
    // As some servers count what they read of a log, not what they give.
    bound: 2 * limitBytes,
    repeatable: true,
  });
  return answer.ok && answer.value !== "" ? answer.value : undefined;
}

/** A single line may be endless. */
const limitBytes = 256 * 1024;

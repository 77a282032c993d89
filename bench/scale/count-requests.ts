import { readFileSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** The fields of an audit event that the counts use. */
interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource?: string };
}

type Sort = (typeof sorts)[number];

const sorts = ["list", "get", "watch", "dry-run", "write", "lease", "review", "discovery"] as const;

/**
 * Counts the requests that the API server received during `work`, by its audit log: `8 list, 2
 * watch, 1002 write`. Reviews ask for permissions.
 */
export async function countRequests<T>(
  auditLog: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly requests: string; readonly count: number }> {
  const before = statSync(auditLog).size;
  const result = await work();
  // The API server logs a watch only after it notices the end of the watch.
  await wait(1_000);
  const lines = readFileSync(auditLog).subarray(before).toString().trim().split("\n");
  const events = lines.filter((line) => line !== "").map((line): AuditEvent => JSON.parse(line));
  const groups = Map.groupBy(events, sortOf);
  const counts = sorts.flatMap((sort) => {
    const count = groups.get(sort)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${sort}`];
  });
  return { result, requests: counts.join(", "), count: events.length };
}

function sortOf({ verb, requestURI, objectRef }: AuditEvent): Sort {
  if (objectRef === undefined) return "discovery";
  if (objectRef.resource === "leases") return "lease";
  if (objectRef.resource?.startsWith("selfsubject") === true) return "review";
  if (verb === "list" || verb === "get" || verb === "watch") return verb;
  return requestURI.includes("dryRun=All") ? "dry-run" : "write";
}

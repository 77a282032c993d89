import type { IncomingMessage } from "node:http";

/**
 * One request in the format of the sweeps' tables, with its position among the requests of a run.
 */
export interface NumberedRequest {
  /** The position, from 1. */
  readonly position: number;
  /** The position among the writes, from 1, without dry-runs. Undefined for other requests. */
  readonly write: number | undefined;
  readonly verb: string;
  readonly resource: string;
  /**
   * The text, such as `apply configmaps/settings-1`, `try services/web` for a dry-run, or `list
   * secrets`.
   */
  readonly text: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "replace",
  PATCH: "apply",
  DELETE: "delete",
};

export function toNumberedRequest(
  request: IncomingMessage,
  before: readonly NumberedRequest[],
): NumberedRequest {
  const url = new URL(request.url ?? "/", "http://cluster");
  const rest = url.pathname.replace(/^\/(api|apis\/[^/]+)\/[^/]+\/(namespaces\/[^/]+\/)?/, "");
  const [resource = "", name] = rest.split("/");
  const dryRun = url.searchParams.has("dryRun");
  const verb = verbOf(request.method ?? "GET", url, name, dryRun);
  const changes = request.method !== "GET" && !dryRun;
  const writes = before.filter(({ write }) => write !== undefined).length;
  return {
    position: before.length + 1,
    write: changes ? writes + 1 : undefined,
    verb,
    resource,
    text: `${verb} ${name === undefined ? resource : rest}`,
  };
}

function verbOf(method: string, url: URL, name: string | undefined, dryRun: boolean): string {
  if (url.searchParams.get("watch") === "true") return "watch";
  if (method === "GET")
    return url.pathname.split("/").length < 5 || name !== undefined ? "read" : "list";
  return dryRun ? `try to ${verbs[method]}` : (verbs[method] ?? method);
}

import { at, isObject, type Json, listAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Answer } from "../../../ports.ts";
import { failure, parsed } from "../transport/failure.ts";
import type { Api } from "./api.ts";
import { listPath } from "./paths.ts";

export interface Listing {
  readonly items: readonly KubeObject[];
  /** Of the whole list: every page shows the state of one moment. */
  readonly resourceVersion: string;
}

/** As large as kubectl's: bounds the memory of both sides. */
const pageSize = 500;

export async function list(
  api: Api,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  labelSelector?: string,
): Promise<Answer<Listing>> {
  const path = await listPath(api.discovery, apiVersion, kind, namespace);
  if (!path.ok) return path;
  const query = { labelSelector };
  const paged = await followPages(api, path.value, { ...query, limit: String(pageSize) });
  // A continue token expires after some minutes; then only one answer with everything is consistent.
  const expired = !paged.ok && paged.failure.reason === "expired";
  const listing = expired ? await followPages(api, path.value, query) : paged;
  if (!listing.ok) return listing;
  const { items, resourceVersion } = listing.value;
  return { ok: true, value: { items: items.flatMap(withType(apiVersion, kind)), resourceVersion } };
}

/** The items of a list come without apiVersion and kind. */
function withType(apiVersion: string, kind: string): (item: Json) => readonly KubeObject[] {
  return (item) => {
    const metadata = at(item, "metadata");
    return isObject(item) && isObject(metadata) ? [{ ...item, apiVersion, kind, metadata }] : [];
  };
}

interface RawListing {
  readonly items: readonly Json[];
  readonly resourceVersion: string;
}

async function followPages(
  { transport }: Api,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Answer<RawListing>> {
  const items: Json[] = [];
  let token: string | undefined;
  for (;;) {
    const { answer } = await transport.send({
      method: "GET",
      path,
      query: { ...query, continue: token },
      repeatable: true,
    });
    if (!answer.ok) return answer;
    const page = parsed(answer.value);
    const resourceVersion = textAt(page, "metadata", "resourceVersion");
    if (resourceVersion === undefined) return failure("other", "the server sent no list", 200);
    for (const item of listAt(page, "items")) items.push(item);
    token = textAt(page, "metadata", "continue") || undefined;
    if (token === undefined) return { ok: true, value: { items, resourceVersion } };
  }
}

import { headerError, pathError } from "../../../model/address-rules.ts";
import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { proxyName } from "../../../model/deployments/deployment-checks.ts";
import { at, isObject, type Json, listAt, parseJson, textAt } from "../../../model/json.ts";
import type { KubeObject, ObjectAddress } from "../../../model/object.ts";
import type { ServiceRequest } from "../../../ports/kubernetes.ts";
import type { ProbeAnswer, ProbeLimits } from "../../../ports/probe.ts";
import { addHeaderSecrets } from "../../../redaction/sent-secrets.ts";
import { failure } from "../transport/failure.ts";
import { type AnswerBounds, mebibytes } from "../transport/limits.ts";
import { anything } from "../transport/transport.ts";
import { type Api, listPath, objectPath, parseObject } from "./api.ts";

export async function read(
  { transport, discovery }: Api,
  address: ObjectAddress,
): Promise<ApiResult<KubeObject | undefined>> {
  const path = await objectPath(discovery, address);
  if (!path.ok) return path;
  const { answer } = await transport.send({ method: "GET", path: path.value, repeatable: true });
  if (!answer.ok && answer.failure.reason === "not-found") return { ok: true, value: undefined };
  return parseObject(answer);
}

interface ObjectListing {
  readonly items: readonly KubeObject[];
  /** The version of the whole list. Every page shows the state at one moment. */
  readonly resourceVersion: string;
  /** The size of the answers that contained the list. */
  readonly bytes: number;
}

/** The same as in kubectl. It limits the memory of both sides. */
const pageSize = 500;

export function list(
  api: Api,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  labelSelector?: string,
  name?: string,
): Promise<ApiResult<ObjectListing>> {
  // The API server reads a single object for this selector.
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const query = { labelSelector, fieldSelector };
  return listObjects(api, undefined, { apiVersion, kind, namespace }, query);
}

/**
 * Accepts only metadata. There is no fallback: a server that doesn't know the type would answer
 * with whole objects.
 */
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** Lists objects without anything but metadata, whatever they contain. */
export function listMetadata(
  api: Api,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  labelSelector?: string,
  fieldSelector?: string,
): Promise<ApiResult<ObjectListing>> {
  const query = { labelSelector, fieldSelector };
  return listObjects(api, metadataOnly, { apiVersion, kind, namespace }, query);
}

interface ListScope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

type Query = Readonly<Record<string, string | undefined>>;

async function listObjects(
  api: Api,
  accept: string | undefined,
  { apiVersion, kind, namespace }: ListScope,
  query: Query,
): Promise<ApiResult<ObjectListing>> {
  const path = await listPath(api.discovery, apiVersion, kind, namespace);
  if (!path.ok) return path;
  const from = { kind, path: path.value, accept };
  const paged = await followPages(api, from, { ...query, limit: String(pageSize) });
  // A continue token expires after a few minutes. Then only a single answer with everything is
  // consistent.
  const expired = !paged.ok && paged.failure.reason === "expired";
  const listing = expired ? await followPages(api, from, query) : paged;
  if (!listing.ok) return listing;
  const items = listing.value.items.flatMap(withType(apiVersion, kind));
  return { ok: true, value: { ...listing.value, items } };
}

/** Adds apiVersion and kind, which the items of a list lack. */
function withType(apiVersion: string, kind: string): (item: Json) => readonly KubeObject[] {
  return (item) => {
    const metadata = at(item, "metadata");
    return isObject(item) && isObject(metadata) ? [{ ...item, apiVersion, kind, metadata }] : [];
  };
}

interface RawListing {
  readonly items: readonly Json[];
  readonly resourceVersion: string;
  readonly bytes: number;
}

interface Collection {
  readonly kind: string;
  readonly path: string;
  readonly accept: string | undefined;
}

async function followPages(
  { transport }: Api,
  { kind, path, accept }: Collection,
  query: Query,
): Promise<ApiResult<RawListing>> {
  const items: Json[] = [];
  const started = performance.now();
  let bytes = 0;
  let token: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const { answer } = await transport.send({
      method: "GET",
      path,
      query: { ...query, continue: token },
      ...(accept === undefined ? {} : { accept }),
      repeatable: true,
    });
    if (!answer.ok) return answer;
    bytes += answer.value.length;
    const page = parseJson(answer.value);
    const resourceVersion = textAt(page, "metadata", "resourceVersion");
    if (resourceVersion === undefined) return failure("other", "the API server sent no list", 200);
    for (const item of listAt(page, "items")) items.push(item);
    const next = textAt(page, "metadata", "continue") || undefined;
    if (next === undefined) return { ok: true, value: { items, resourceVersion, bytes } };
    const list = {
      pages,
      bytes,
      time: performance.now() - started,
      same: next === token,
    };
    const excess = exceededBound(list, transport.bounds);
    if (excess !== undefined) {
      return failure("beyond-bounds", `the API server answered the list of ${kind} with ${excess}`);
    }
    token = next;
  }
}

/** Returns the reason why an unfinished list isn't followed any further. */
function exceededBound(
  list: {
    readonly pages: number;
    readonly bytes: number;
    /** Milliseconds. */
    readonly time: number;
    readonly same: boolean;
  },
  bounds: AnswerBounds,
): string | undefined {
  if (list.same) return "the same page again";
  if (list.pages >= bounds.pages) return `more than ${bounds.pages} pages`;
  if (list.bytes > bounds.list) return `more than ${mebibytes(bounds.list)}`;
  if (list.time > bounds.listDuration) {
    return `pages for more than ${bounds.listDuration / 60_000} minutes`;
  }
  return undefined;
}

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

/**
 * Sends one GET to a Service through the API server. It refuses paths and headers that could make
 * the API server answer for another resource, or for another identity.
 */
export async function getFromService(
  { transport }: Pick<Api, "transport">,
  { namespace, target, headers }: ServiceRequest,
  limits: ProbeLimits,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const base = servicePath(namespace, target);
  const isForbidden =
    pathError(target.path) !== undefined ||
    headers.some(({ name }) => headerError(name) !== undefined || /^authorization$/i.test(name));
  const url = new URL(`${transport.server}${base}${target.path}`);
  const root = new URL(transport.server).pathname.replace(/(?<!\/)\/+$/, "");
  if (isForbidden || !url.pathname.startsWith(`${root}${base}/`))
    return {
      type: "unanswered",
      why: "the request wasn't sent, because its path or a header isn't allowed",
    };
  addHeaderSecrets(transport.sent, headers);
  const answer = await transport.probe(
    {
      ...limits,
      method: "GET",
      path: `${base}${target.path}`,
      accept: anything,
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      repeatable: true,
    },
    signal,
  );
  return serverError(answer) ?? answer;
}

function servicePath(namespace: string, target: ServiceRequest["target"]): string {
  const [place, name] = [namespace, proxyName(target)].map(encodeURIComponent);
  return `/api/v1/namespaces/${place}/services/${name}/proxy`;
}

/**
 * Returns the error of the API server: a missing permission, a Service without endpoints, or an
 * endpoint that can't be reached. Otherwise, a check that expects 404 would pass without a Service.
 */
function serverError(answer: ProbeAnswer): ProbeAnswer | undefined {
  if (answer.type === "unanswered" || answer.status < 400) return undefined;
  const status = parseJson(answer.body);
  if (textAt(status, "kind") !== "Status" || textAt(status, "apiVersion") !== "v1")
    return undefined;
  return { type: "unanswered", why: textAt(status, "message") ?? `HTTP ${answer.status}` };
}

import { get as getHttp, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { get as getHttps, Agent as HttpsAgent } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isMetadataHost } from "../../model/address-rules.ts";
import { isLoopbackName } from "../../model/sources/remote-chart.ts";
import { guardedLookup } from "../http/guarded-connection.ts";
import type { FetchFailure } from "./failure.ts";

/** Decides which hosts qvs contacts, and how long it waits. */
export interface HttpReach {
  readonly proxyEnv: NodeJS.ProcessEnv;
  /** Hosts of this machine, with their ports, that qvs contacts without TLS. */
  readonly insecure: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** The number of bytes that the whole run can still receive. */
  readonly budget: { bytes: number };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The origin that answered, after redirects. */
  readonly origin: string;
  /** Empty unless the status is 200. */
  readonly body: Buffer;
}

interface GetOptions {
  /** The maximum size of the body in bytes. */
  readonly limit: number;
  readonly accept?: string;
  /** The header `Authorization`. Only the host of `url` receives it. */
  readonly authorization?: string | undefined;
  readonly redirects?: number;
}

const maxRedirects = 5;

/**
 * Sends a GET request and follows its redirects, but never to another protocol, to this machine or
 * to a metadata service.
 */
export async function httpGet(
  url: URL,
  options: GetOptions,
  reach: HttpReach,
): Promise<HttpAnswer | FetchFailure> {
  const denied = addressDetail(url, reach);
  if (denied !== undefined) return { failure: "not-allowed", host: url.host, detail: denied };
  const answer = await request(url, options, reach);
  if ("failure" in answer || !redirectStatuses.has(answer.status)) return answer;
  const { redirects = maxRedirects } = options;
  const next = URL.parse(answer.headers.location ?? "", url.href);
  const problem = redirectDetail(url, next, redirects);
  if (next === null || problem !== undefined)
    return { failure: "not-allowed", host: url.host, detail: problem ?? "" };
  const authorization = next.origin === url.origin ? options.authorization : undefined;
  return httpGet(next, { ...options, authorization, redirects: redirects - 1 }, reach);
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectDetail(from: URL, to: URL | null, left: number): string | undefined {
  if (to === null) return "It redirects to an invalid address";
  if (left === 0) return "It redirects too often";
  if (to.protocol !== from.protocol) return "It redirects to another protocol";
  return undefined;
}

/** Returns why qvs doesn't contact an address; undefined if it does. */
function addressDetail(url: URL, { insecure }: HttpReach): string | undefined {
  const isListed = insecure.has(url.host);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isListed))
    return "Only https is allowed";
  if (url.username !== "" || url.password !== "")
    return "The address contains a user name or password";
  const { hostname } = url;
  if (isMetadataHost(hostname)) return metadataService;
  return isListed || !isThisMachine(hostname) ? undefined : thisMachine;
}

const thisMachine = "The host is this machine";
const metadataService = "The host is a metadata service of a cloud";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addSubnet("0.0.0.0", 8);
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");
// IPv4 addresses in compatible and translated IPv6 addresses.
for (const prefix of ["::", "64:ff9b::"]) {
  loopback.addSubnet(`${prefix}127.0.0.0`, 104, "ipv6");
  loopback.addSubnet(`${prefix}0.0.0.0`, 104, "ipv6");
}

/** Reports whether a host is this machine. A name is only known after its look-up. */
function isThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  if (family === 0) return isLoopbackName(host);
  return loopback.check(bare, family === 6 ? "ipv6" : "ipv4");
}

async function request(
  url: URL,
  { limit, accept = "*/*", authorization }: GetOptions,
  { proxyEnv, insecure, signal, deadline, budget }: HttpReach,
): Promise<HttpAnswer | FetchFailure> {
  const { host } = url;
  const isHttps = url.protocol === "https:";
  const agent = isHttps ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (isHttps ? getHttps : getHttp)(url, {
        agent,
        lookup: lookupFor(url, insecure.has(host)),
        signal: AbortSignal.any([signal, deadline.signal]),
        headers: {
          "User-Agent": "qvs",
          "Accept-Encoding": "identity",
          Accept: accept,
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
      });
      sent.on("response", resolve);
      sent.on("error", reject);
    });
    const { statusCode: status = 0, headers } = response;
    if (status !== 200) {
      response.destroy();
      return { status, headers, origin: url.origin, body: Buffer.alloc(0) };
    }
    const body = await readBody(response, limit, budget);
    if (body !== undefined) return { status, headers, origin: url.origin, body };
    const detail =
      budget.bytes < 0
        ? "All charts of a run are larger than qvs receives"
        : `The limit is ${sizeText(limit)}`;
    return { failure: "too-large", host, detail };
  } catch (error) {
    if (signal.aborted) throw error;
    if (deadline.signal.aborted) return { failure: "timeout", host, detail: deadline.detail };
    return { failure: "unreachable", host, detail: describeError(error) };
  } finally {
    agent.destroy();
  }
}

/** Reads a body. Returns undefined as soon as it exceeds the limit or the budget of the run. */
async function readBody(
  response: IncomingMessage,
  limit: number,
  budget: HttpReach["budget"],
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    budget.bytes -= chunk.length;
    if (size > limit || budget.bytes < 0) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sizeText(bytes: number): string {
  return bytes >= 1024 ** 2 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
}

/** Rejects addresses of this machine and of metadata services. A proxy has any address. */
function lookupFor({ hostname }: URL, isListed: boolean): LookupFunction {
  return guardedLookup((address, host) => {
    if (host === hostname && !isListed && isThisMachine(address)) return thisMachine;
    return isMetadataHost(address) ? metadataService : undefined;
  });
}

function describeError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : "";
  return (message || code || "The request failed").slice(0, 300);
}

/** The end of the time for one chart, with all of its requests and redirects. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** A sentence about the limit. */
  readonly detail: string;
}

export interface TimeLimits {
  /** The maximum time for one chart in milliseconds. Default: two minutes. */
  readonly timeoutMs?: number;
  /** The maximum time for all charts of a run in milliseconds. Default: ten minutes. */
  readonly maxRunMs?: number;
}

/**
 * Returns a function that runs the work for one chart with a deadline. The time of a run is the sum
 * over its charts: a deployment between two charts can take hours.
 */
export function limitTime({
  timeoutMs = 120_000,
  maxRunMs = 600_000,
}: TimeLimits): <T>(work: (deadline: Deadline) => Promise<T>) => Promise<T> {
  let left = maxRunMs;
  return async (work) => {
    const started = performance.now();
    const detail =
      left < timeoutMs
        ? `All charts of the run took longer than ${maxRunMs / 1000} s`
        : `It took longer than ${timeoutMs / 1000} s`;
    const signal = AbortSignal.timeout(Math.max(0, Math.floor(Math.min(left, timeoutMs))));
    try {
      return await work({ signal, detail });
    } finally {
      left -= performance.now() - started;
    }
  };
}

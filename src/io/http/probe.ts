import { get as getHttp, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { get as getHttps, Agent as HttpsAgent } from "node:https";
import { addressError, headerError, isMetadataHost } from "../../model/address-rules.ts";
import type { HttpProbe, ProbeAnswer, ProbeHeader, ProbeLimits } from "../../ports/probe.ts";
import { addHeaderSecrets, type SentSecrets } from "../../redaction/sent-secrets.ts";
import type { Environment } from "../environment.ts";
import { readStart } from "../kubernetes/transport/exchange.ts";
import { guardedLookup, proxyVariables } from "./guarded-connection.ts";

/** Returns a probe with the proxies of the environment. It registers the secrets that it sends. */
export function openProbe(env: Environment, sent: SentSecrets): HttpProbe {
  const proxyEnv = proxyVariables(env);
  return {
    get: async (url, headers, limits, signal) => {
      const fix = addressError(url) ?? headers.map(({ name }) => headerError(name)).find(Boolean);
      if (fix !== undefined) return { type: "unanswered", why: "its address isn't allowed" };
      addHeaderSecrets(sent, headers);
      return sent.hide(await request(new URL(url), headers, limits, proxyEnv, signal));
    },
  };
}

async function request(
  url: URL,
  headers: readonly ProbeHeader[],
  { timeoutMs, bodyBytes }: ProbeLimits,
  proxyEnv: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const isHttps = url.protocol === "https:";
  const agent = isHttps ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
  const get = isHttps ? getHttps : getHttp;
  const timeout = AbortSignal.timeout(timeoutMs);
  const began = performance.now();
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = get(url, {
        agent,
        lookup: lookupAllowed,
        signal: AbortSignal.any([signal, timeout]),
        headers: {
          "User-Agent": "qvs",
          "Accept-Encoding": "identity",
          ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        },
      });
      sent.on("response", resolve);
      sent.on("error", reject);
    });
    const start = await readStart(response, bodyBytes);
    const { statusCode: status = 0 } = response;
    return { type: "answered", status, ...start, latencyMs: performance.now() - began };
  } catch (error) {
    return { type: "unanswered", why: timeout.aborted ? "no answer in time" : describe(error) };
  } finally {
    agent.destroy();
  }
}

const lookupAllowed = guardedLookup((address) =>
  isMetadataHost(address) ? "the host is a metadata service of a cloud" : undefined,
);

function describe(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  return message || code || "the request failed";
}

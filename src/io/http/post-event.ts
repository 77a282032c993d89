import { createHmac } from "node:crypto";
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../environment.ts";
import { proxyVariables } from "./guarded-connection.ts";

/** A receiver of events. */
export interface EventReceiver {
  /** An https address, or an http address of this machine. It is a secret. */
  readonly url: URL;
  /** The key of the signature; empty for none. */
  readonly key: string;
}

/** The longest silence of a proxy or a receiver in milliseconds. */
const longestSilence = 5_000;

/** The pauses before the second and the third attempt in milliseconds. */
const pauses = [300, 900];

/**
 * Sends one event. Returns undefined if the receiver accepted it, or else a short reason without
 * any part of the address or the answer. It repeats a request after a network error or a status of
 * 500 and above, and follows no redirects.
 */
export async function postEvent(
  receiver: EventReceiver,
  event: object,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const body = JSON.stringify(event);
  for (let attempt = 0; ; attempt++) {
    const pause = pauses[attempt];
    const answer = await post(receiver, body, env, signal);
    if (typeof answer === "number" && answer >= 200 && answer < 300) return undefined;
    const isFinal = answer instanceof NoAnswer || (typeof answer === "number" && answer < 500);
    if (isFinal || pause === undefined || signal.aborted) return reason(answer);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the status of the answer, or the error of the network. It doesn't read the body. */
async function post(
  { url, key }: EventReceiver,
  body: string,
  env: Environment,
  signal: AbortSignal,
): Promise<number | Error> {
  if (signal.aborted) return new NoAnswer();
  const isHttps = url.protocol === "https:";
  const request = isHttps ? requestHttps : requestHttp;
  let agent: HttpAgent | undefined;
  try {
    // It throws if a variable contains no usable proxy. An http address is of this machine.
    agent = isHttps ? new HttpsAgent({ proxyEnv: proxyVariables(env) }) : new HttpAgent();
    const options = { agent, method: "POST", signal, timeout: longestSilence };
    const sent = request(url, { ...options, headers: headers(body, key) });
    return await statusOf(sent, body, signal);
  } catch (error) {
    return error as Error;
  } finally {
    agent?.destroy();
  }
}

/** Sends the body. Resolves with the status of the answer, and rejects if there is none. */
function statusOf(sent: ClientRequest, body: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    sent.on("response", ({ statusCode = 0 }) => resolve(statusCode));
    sent.on("error", reject);
    const silent = () => {
      reject(new NoAnswer());
      sent.destroy();
    };
    // Until a proxy answers, a request has no socket, and its signal has no effect.
    sent.on("timeout", silent);
    signal.addEventListener("abort", silent, { once: true });
    // There is no other event for an answer that changes the protocol.
    sent.on("close", () => reject(new Error("closed without an answer")));
    sent.end(body);
  });
}

/** The receiver didn't answer before the end of the time for all events. */
class NoAnswer extends Error {}

/**
 * Returns the headers. The signature has the name and form of GitHub's webhooks, which receivers
 * and libraries already verify.
 */
function headers(body: string, key: string): Readonly<Record<string, string>> {
  const signature = createHmac("sha256", key).update(body).digest("hex");
  return {
    "User-Agent": "qvs",
    "Content-Type": "application/cloudevents+json; charset=utf-8",
    "Content-Length": `${Buffer.byteLength(body)}`,
    ...(key === "" ? {} : { "X-Hub-Signature-256": `sha256=${signature}` }),
  };
}

/** Describes a failed request. Messages of network errors contain the host, and codes don't. */
function reason(answer: number | Error): string {
  if (answer instanceof NoAnswer) return "no answer in time";
  if (typeof answer !== "number") {
    const { code } = answer as NodeJS.ErrnoException;
    return code === undefined ? "the request failed" : `the request failed: ${code}`;
  }
  const isRedirect = answer >= 300 && answer < 400;
  return `status ${answer}${isRedirect ? ", a redirect, which qvs doesn't follow" : ""}`;
}

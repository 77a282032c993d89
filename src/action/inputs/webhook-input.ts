import type { GitHubEvent } from "../../io/github/event.ts";
import { mask } from "../../io/github/log.ts";
import type { EventReceiver } from "../../io/http/post-event.ts";
import type { Problem } from "../../model/problems/problem.ts";

/**
 * Reads the inputs webhook-url and webhook-secret, and masks both before anything can print them.
 * Returns undefined without a usable address: notifications never stop a deployment.
 */
export function readWebhookInput(address: string, key: string): EventReceiver | undefined {
  for (const secret of [address, key]) if (secret !== "") mask(secret);
  const url = parseReceiver(address);
  return url === undefined ? undefined : { url, key };
}

/** Returns a warning for an address that qvs can't use. It doesn't repeat the address. */
export function webhookWarnings(address: string): readonly Problem[] {
  return address === "" || parseReceiver(address) !== undefined ? [] : [unusable];
}

const unusable: Problem = {
  code: "webhook-failed",
  where: [],
  what: "Input webhook-url: the value isn't an https address, and qvs sends no notifications",
  fix: "Use an address that starts with https:// and contains no user name",
};

function parseReceiver(address: string): URL | undefined {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  const isAllowed =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isAllowed ? url : undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Returns the receiver for an event. Nothing that a fork changed is sent. */
export function receiverFor(
  event: GitHubEvent,
  receiver: EventReceiver | undefined,
): EventReceiver | undefined {
  return event.type === "pull_request" && event.fromFork ? undefined : receiver;
}

/** The shortest part of an address that is hidden alone. Shorter ones are words: `hooks`. */
const shortestPart = 16;

/**
 * Returns the secrets of a receiver: the key, the whole address, its path with the query, and long
 * parts, which are tokens. It has the address as it was given, too, also if it isn't usable.
 */
export function receiverSecrets(address: string, key: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [address, key];
  const { href, pathname, search, searchParams } = url;
  const parts = [`${pathname}${search}`, ...pathname.split("/"), ...searchParams.values()];
  const long = parts.filter((part) => part.length >= shortestPart);
  return [...new Set([address, href, key, ...long])];
}

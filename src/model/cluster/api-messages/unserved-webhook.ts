import type { ApiMessage } from "./api-message.ts";
import { isWebhookUnavailable, unavailableWebhook } from "./denials.ts";

/** A webhook that the API server can't reach, because no process serves it. */
export interface UnservedWebhook {
  /** The name of the webhook, or the called address of a conversion webhook. */
  readonly name: string;
  /** The Service that the API server called. Undefined for a webhook with a URL. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
  /** The reason in the API server's words. */
  readonly reason: string;
}

/**
 * Returns the webhook that made the API server reject a request, if its Service is missing or has
 * no endpoints, or if the connection is refused. Undefined for any other failure, such as a webhook
 * that answers with an error.
 */
export function unservedWebhook(failure: ApiMessage): UnservedWebhook | undefined {
  const { message } = failure;
  const [reason] = notServing.exec(message) ?? [];
  if (reason === undefined || !isWebhookUnavailable(failure)) return undefined;
  const [, name, namespace] = calledAddress.exec(message) ?? [];
  const service = name === undefined || namespace === undefined ? undefined : { namespace, name };
  const address = service === undefined ? "" : `${service.name}.${service.namespace}`;
  return { name: unavailableWebhook(failure) ?? address, service, reason };
}

const notServing =
  /no endpoints available for service "[^"]{1,253}"|service "[^"]{1,253}" not found|connect: connection refused/;

const calledAddress = /"https:\/\/([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc[:/]/;

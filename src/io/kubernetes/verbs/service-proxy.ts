import { headerError, pathError } from "../../../model/address-rules.ts";
import { proxyName } from "../../../model/deployment-checks.ts";
import { parseJson, textAt } from "../../../model/json.ts";
import type { ServiceRequest } from "../../../ports/kubernetes.ts";
import type { ProbeAnswer, ProbeLimits } from "../../../ports/probe.ts";
import { addHeaderSecrets } from "../../../redaction/sent-secrets.ts";
import { anything } from "../transport/transport.ts";
import type { Api } from "./api.ts";

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

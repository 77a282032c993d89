import { isAdmissionConfiguration } from "../../model/governors.ts";
import { at, type Json, listAt, textAt } from "../../model/json.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { mayBeCreatedByController } from "../dependencies.ts";
import { asPlanned } from "../planned-pods.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { type MatchContext, matchesResources } from "./match-resources.ts";

/** A webhook that no server answers, so that the API server rejects each request about it. */
export interface DeadWebhook {
  /** The change that writes its configuration. */
  readonly by: Change;
  readonly webhook: Json;
  /** The Service that it calls, which doesn't exist. */
  readonly service: ObjectId;
}

/** Lists the written webhooks whose Service neither exists nor is declared. */
export function deadWebhooks(
  changes: readonly Change[],
  { dependencies, upstreamChanges }: Pick<ClusterFacts, "dependencies" | "upstreamChanges">,
): readonly DeadWebhook[] {
  const written = changes.filter(
    ({ id, action }) => isAdmissionConfiguration(id) && action !== "unchanged",
  );
  if (written.length === 0 || mayBeCreatedByController([...changes, ...upstreamChanges])) return [];
  const declared = new Set([...changes, ...upstreamChanges].map(({ key }) => key));
  return written.flatMap((by) =>
    listAt(asPlanned(by), "webhooks").flatMap((webhook) => {
      const service = calledService(webhook);
      const key = service === undefined ? "" : keyOf(service);
      const fact = dependencies.get(key);
      const isMissing = fact?.known === true && !fact.value.exists && !declared.has(key);
      return service !== undefined && isMissing ? [{ by, webhook, service }] : [];
    }),
  );
}

/** Returns the Service of a webhook that decides about all requests that its rules match. */
function calledService(webhook: Json): ObjectId | undefined {
  const service = at(webhook, "clientConfig", "service");
  const [namespace, name] = [textAt(service, "namespace"), textAt(service, "name")];
  const isIgnored = textAt(webhook, "failurePolicy") === "Ignore";
  const hasConditions = listAt(webhook, "matchConditions").length > 0;
  if (namespace === undefined || name === undefined || isIgnored || hasConditions) return undefined;
  return { group: "", kind: "Service", namespace, name };
}

/** Reports whether a webhook certainly gets a request. */
export function isBlocked(
  { webhook }: DeadWebhook,
  request: AdmissionRequest,
  context: MatchContext,
): boolean {
  return matchesResources(webhook, listAt(webhook, "rules"), request, context) === true;
}

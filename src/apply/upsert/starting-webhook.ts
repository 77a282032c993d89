import type { UnservedWebhook } from "../../model/cluster/api-messages/denials.ts";
import { calledServices, selectsPodsOf } from "../../model/cluster/called-services.ts";
import { admissionGroup } from "../../model/governors.ts";
import { listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import type { ApplyRun } from "../run.ts";

/**
 * Reports whether a webhook is about to serve: its configuration, its Service or the workload
 * behind it belongs to this deployment, or was changed less than `withinMs` ago. An object that qvs
 * isn't allowed to read counts as unchanged.
 */
export async function isStartingWebhook(
  run: ApplyRun,
  webhook: UnservedWebhook,
  withinMs: number,
): Promise<boolean> {
  if (run.plan.changes.some(({ desired }) => configures(desired, webhook))) return true;
  // Nothing in the cluster starts a webhook with an address outside of it.
  if (webhook.service === undefined) return false;
  const since = run.world.clock.now().getTime() - withinMs;
  return (
    (await isStartingService(run, webhook, since)) ||
    (await hasNewConfiguration(run, webhook, since))
  );
}

/** Reports whether an object is the webhook's Service or configures the webhook. */
function configures(object: KubeObject, { name, service }: UnservedWebhook): boolean {
  if (listAt(object, "webhooks").some((each) => textAt(each, "name") === name)) return true;
  if (service === undefined) return false;
  const key = keyOf({ group: "", kind: "Service", ...service });
  return keyOf(idOf(object)) === key || calledServices(object).some(({ id }) => keyOf(id) === key);
}

async function isStartingService(
  { plan, world }: ApplyRun,
  { service }: UnservedWebhook,
  since: number,
): Promise<boolean> {
  if (service === undefined) return false;
  const { namespace } = service;
  const address = { apiVersion: "v1", kind: "Service", ...service };
  const read = await world.cluster.read(address);
  if (!read.ok || read.value === undefined) return false;
  const live = read.value;
  const own = plan.changes.filter(({ id }) => id.namespace === namespace);
  if (own.some(({ desired }) => selectsPodsOf(live, desired))) return true;
  if (isWrittenSince(live, since)) return true;
  const workloads = await world.cluster.list("apps/v1", "Deployment", namespace);
  return (
    workloads.ok &&
    workloads.value.items.some((each) => selectsPodsOf(live, each) && isWrittenSince(each, since))
  );
}

async function hasNewConfiguration(
  { world }: ApplyRun,
  webhook: UnservedWebhook,
  since: number,
): Promise<boolean> {
  const kinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
  const lists = await Promise.all(
    kinds.map((kind) => world.cluster.list(`${admissionGroup}/v1`, kind, undefined)),
  );
  const found = lists.flatMap((list) => (list.ok ? list.value.items : []));
  return found.some((each) => configures(each, webhook) && isWrittenSince(each, since));
}

/** Reports whether a client wrote an object, other than its status, after a time in ms. */
function isWrittenSince(object: KubeObject, since: number): boolean {
  const writes = fieldOwners(object).filter(({ subresource }) => subresource === "");
  const created = textAt(object, "metadata", "creationTimestamp") ?? "";
  return [created, ...writes.map(({ time }) => time)].some((time) => Date.parse(time) >= since);
}

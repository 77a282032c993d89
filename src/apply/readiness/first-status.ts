import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { definedStatus, hasStatusSchema } from "../../model/cluster/namespaces-and-crds.ts";
import { at, isEmpty, textAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ApplyRun } from "../run.ts";

/**
 * The maximum wait, in ms, for the first status of a new object.
 * A controller reports within seconds. After its leader has ended, another replica takes over in
 * at most 17 s: the defaults of controller-runtime are a lease of 15 s and retries after 2 s.
 */
const firstStatusMs = 30_000;

/**
 * Returns the time, in ms, that a new object without a status isn't ready
 * (docs/reference/deployment.md#first-status).
 * Its controller might report a failure a moment later, when old objects are already deleted.
 * Undefined if the object is ready at once: nothing waits for it, it has a rule or a status, or
 * its kind has no status.
 */
export async function firstStatusLimit(
  run: ApplyRun,
  change: Change,
  written: KubeObject,
): Promise<number | undefined> {
  const { health, limits, world } = run;
  const kind = idOf(written);
  const { isAwaited, timeoutMs = limits.timeoutMs } = readWaitPolicy(change.desired);
  const mayReport =
    isAwaited &&
    !isBuiltInGroup(kind.group) &&
    !health.hasRule(kind) &&
    isEmpty(at(written, "status") ?? {}) &&
    isNew(change, written, world.clock.now()) &&
    run.hasReadinessDependents(change);
  if (!mayReport || !(await run.canHaveStatus(written))) return undefined;
  return Math.min(firstStatusMs, timeoutMs, limits.noProgressMs ?? firstStatusMs);
}

/**
 * Reports whether an object is so new that its controller might not have seen it. An earlier run,
 * which was stopped, can also have created it.
 */
function isNew({ action, isCreatedByThisRun }: Change, written: KubeObject, now: Date): boolean {
  if (action === "create" || action === "replace" || isCreatedByThisRun) return true;
  if (action === "update") return false;
  const created = Date.parse(textAt(written, "metadata", "creationTimestamp") ?? "");
  return now.getTime() - created < firstStatusMs;
}

/** Reports whether objects of a kind can have a status. A run asks once per kind. */
export type StatusSupport = (object: KubeObject) => Promise<boolean>;

/**
 * Creates the look-up of kinds with a status. Discovery answers it for almost all kinds, without a
 * request. Only a kind without the subresource needs its schema.
 */
export function createStatusSupport(
  cluster: Pick<Cluster, "kind" | "schema">,
  { changes }: Pick<Plan, "changes">,
): StatusSupport {
  const declared = changes.map(({ predicted, desired }) => predicted ?? desired);
  const answers = new Map<string, Promise<boolean>>();
  return (object) => {
    const key = `${object.apiVersion} ${object.kind}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const defined = definedStatus(declared, object);
    const answer = defined === undefined ? askCluster(cluster, object) : Promise.resolve(defined);
    answers.set(key, answer);
    return answer;
  };
}

async function askCluster(
  cluster: Pick<Cluster, "kind" | "schema">,
  { apiVersion, kind }: KubeObject,
): Promise<boolean> {
  if (await servesStatus(cluster, apiVersion, kind)) return true;
  const schema = await cluster.schema(apiVersion, kind);
  return schema.ok && hasStatusSchema(schema.value);
}

/** Reports whether the API server lists the subresource `status` for a kind. */
export async function servesStatus(
  cluster: Pick<Cluster, "kind">,
  apiVersion: string,
  kind: string,
): Promise<boolean> {
  const served = await cluster.kind(apiVersion, kind);
  return served.ok && served.value.hasStatus === true;
}

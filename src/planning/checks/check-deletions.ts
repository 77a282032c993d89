import pMap from "p-map";
import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { type ApiFailure, explainApiFailure } from "../../model/cluster/api/api-failure.ts";
import { isCustomGroup } from "../../model/cluster/api/built-in-groups.ts";
import {
  denyingPolicyKeys,
  isDeniedByWebhook,
  unavailableWebhook,
} from "../../model/cluster/api/messages/denials.ts";
import { isAdmissionConfiguration } from "../../model/governors.ts";
import { at } from "../../model/json.ts";
import {
  addressOf,
  annotation,
  type KubeObject,
  nameOf,
  type ObjectId,
  uidOf,
} from "../../model/object.ts";
import { withSecretKind } from "../../model/plan/apply-time-reference.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { canServeWebhooks } from "../../plan/upstream-deployments.ts";
import { showableRejection } from "../../redaction/showable-rejection.ts";
import { kubectlArguments } from "../../ssa/protection.ts";
import type { PlanningContext } from "../planning-context.ts";
import { blockOrNotice, type CheckResult, combineChecks } from "./check-result.ts";

/**
 * Finds deletions that permissions or admission would deny
 * (docs/reference/deployment.md#blocked-deployments).
 * qvs checks them in advance, because deletions are last, after all other changes. Other failures
 * of such a dry run show nothing about the deletion itself.
 */
export async function checkDeletions(
  context: Pick<PlanningContext, "cluster" | "purpose" | "request">,
  plan: Plan,
  { deletes }: { readonly deletes: boolean },
): Promise<CheckResult> {
  const { cluster, request } = context;
  const canDryRun = dryRunTest(cluster);
  const answers = await pMap(
    plannedDeletions(plan, deletes),
    async (one) => {
      if (!(await canDryRun(one))) return [];
      const answer = await cluster.dryRunDelete(addressOf(one.live), uidOf(one.live));
      if (answer.ok || !isDenial(answer.failure, one, plan)) return [];
      return [blockOrNotice(context, answer.failure, deletionProblem(one, answer.failure))];
    },
    { concurrency: request.limits.concurrency },
  );
  return combineChecks(answers.flat());
}

interface CheckedDeletion {
  readonly id: ObjectId;
  readonly live: KubeObject;
  /** Keys of the objects that qvs deletes before this one. */
  readonly after: readonly string[];
  /** The live object in a form that messages can show. */
  readonly showable: KubeObject;
  /** Actions that avoid the deletion, for the fix. */
  readonly instead: readonly string[];
  readonly canStay: boolean;
}

/** Lists the objects that the plan deletes, including the ones that it replaces. */
function plannedDeletions(
  { changes, deletions }: Plan,
  deletes: boolean,
): readonly CheckedDeletion[] {
  const replaced = changes.flatMap((change) => {
    const { id, action, live, hook } = change;
    // A hook that exists is deleted in any case, and maybe replaced before that.
    if ((action !== "replace" && hook === undefined) || live === undefined) return [];
    const instead = hook === undefined ? ["give the new object another name"] : [];
    return [
      { id, live, after: [], showable: withSecretKind(live, change), instead, canStay: false },
    ];
  });
  const undeclared = deletions.map(({ id, live, after }) => {
    const before = after.map(({ on }) => on);
    const instead = deletes ? [] : ["declare it again"];
    return { id, live, after: before, showable: live, instead, canStay: true };
  });
  return [...replaced, ...undeclared];
}

/**
 * Returns a test that reports whether qvs can dry-run the deletion of an object.
 * An API server behind an APIService might not know dry runs, and would really delete the object.
 * Therefore qvs asks about a custom kind only if it has a definition, and no such server serves its
 * version. Not every identity can read this. If qvs can't ask, a denial shows only during the
 * deployment.
 */
function dryRunTest(
  cluster: PlanningContext["cluster"],
): (one: Pick<CheckedDeletion, "id" | "live">) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async ({ id, live }) => {
    if (!isCustomGroup(id.group)) return true;
    const key = `${live.apiVersion} ${live.kind}`;
    const answer = known.get(key) ?? isServedByCrd(cluster, live);
    known.set(key, answer);
    return answer;
  };
}

async function isServedByCrd(
  cluster: PlanningContext["cluster"],
  { apiVersion, kind }: KubeObject,
): Promise<boolean> {
  const served = await cluster.kind(apiVersion, kind);
  if (!served.ok) return false;
  const { group, version, plural } = served.value;
  const [definition, server] = await Promise.all([
    cluster.read(clusterAddress(crdApiVersion, "CustomResourceDefinition", `${plural}.${group}`)),
    cluster.read(clusterAddress("apiregistration.k8s.io/v1", "APIService", `${version}.${group}`)),
  ]);
  const isRead = definition.ok && definition.value !== undefined && server.ok;
  return isRead && server.value !== undefined && at(server.value, "spec", "service") === undefined;
}

const crdApiVersion = "apiextensions.k8s.io/v1";

function clusterAddress(apiVersion: string, kind: string, name: string) {
  return { apiVersion, kind, namespace: "", name };
}

/**
 * Reports whether the failure means that the API server will deny the deletion.
 * Permissions and webhooks answer with 403, policies with 422. A webhook can look at other objects,
 * such as the contents of a Namespace, so its answer isn't final before qvs deletes those. An
 * unavailable webhook denies everything, unless the plan first changes the webhook or its backend.
 */
function isDenial(failure: ApiFailure, { after }: CheckedDeletion, plan: Plan): boolean {
  if (unavailableWebhook(failure) !== undefined)
    return after.length === 0 && !canRepairWebhook(plan);
  if (failure.reason !== "forbidden" && failure.reason !== "invalid") return false;
  if (after.length > 0 && isDeniedByWebhook(failure)) return false;
  // If qvs deletes the policy or its binding first, neither is in effect any longer.
  return !denyingPolicyKeys(failure).some((key) => after.includes(key));
}

function canRepairWebhook({ changes }: Plan): boolean {
  return changes.some(
    ({ id, action }) =>
      action !== "unchanged" && (canServeWebhooks(id) || isAdmissionConfiguration(id)),
  );
}

function deletionProblem(removed: CheckedDeletion, failure: ApiFailure): Problem {
  const { id, live, showable, instead, canStay } = removed;
  const { code, fix } = explainApiFailure(
    failure,
    `delete on ${id.kind} of ${live.apiVersion}${namespaceText(id)}`,
  );
  // An administrator can grant a permission. Admission can deny a deletion to everyone permanently,
  // for example of a system class.
  const isDenied = code !== "missing-permission";
  return {
    code,
    subjects: [nameOf(id)],
    what: `${nameOf(id)} can't be deleted`,
    facts: [{ label: "answer", value: showableRejection(failure, showable).message }],
    fix,
    otherwise: [...instead, ...(isDenied && canStay ? [keepAdvice(live)] : [])],
    where: [],
  };
}

function keepAdvice(live: KubeObject): string {
  // A revision that is old enough to be deleted already has the annotation.
  const overwrite = annotation(live, keepOnDeleteAnnotation) === undefined ? "" : "--overwrite ";
  return `keep it: kubectl annotate ${overwrite}${kubectlArguments(live)} ${keepOnDeleteAnnotation}=kept`;
}

function namespaceText({ namespace }: ObjectId): string {
  return namespace === "" ? "" : ` in namespace ${namespace}`;
}

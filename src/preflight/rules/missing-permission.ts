import { isMissingPermission } from "../../model/cluster/api/api-failure.ts";
import {
  type MissingPermission,
  missingPermission as rightIn,
} from "../../model/cluster/api/messages/denials.ts";
import { usableObjects } from "../../model/cluster/still-used.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { distinct, type Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { ClusterFact, ClusterFacts } from "../cluster-facts.ts";
import { predictDeletions } from "../predict-deletions.ts";
import type { PreflightInput } from "../rule.ts";
import { noticeReason } from "./sentences.ts";

/**
 * Reports the permissions that qvs lacks, once per namespace.
 * It also reports permissions that the deploying identity is known to lack.
 */
export function missingPermission({ plan, facts }: PreflightInput): readonly Finding[] {
  const gaps = distinct([...factPermissionGaps(facts), ...userPermissionGaps(plan, facts)]);
  const byNamespace = Map.groupBy(gaps, ({ namespace }) => namespace ?? "");
  return [
    ...[...byNamespace].map(([namespace, missing]) => permissionFinding(namespace, missing)),
    ...plan.notices.filter(({ code }) => code === "missing-permission").map(noticeToFinding(plan)),
  ];
}

/** Converts a notice about permissions into a finding about the namespace of the releases. */
export function noticeToFinding({ namespace }: Plan): (notice: Problem) => Finding {
  return (notice) => ({
    code: "missing-permission",
    severity: "note",
    object: { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace },
    what: notice.what,
    why: noticeReason(notice),
    fix: listFixes(notice).join(", "),
    where: notice.where,
  });
}

/** A missing permission and the facts that are unknown without it. */
interface CheckPermissionGap extends MissingPermission {
  readonly unknown: string;
  /**
   * The effect on a deployment that lacks the permission too.
   * It is undefined if there is no effect.
   */
  readonly otherwise?: string;
}

function factPermissionGaps(facts: ClusterFacts): readonly CheckPermissionGap[] {
  const read: readonly ClusterFact<unknown>[] = [
    ...facts.quotas.values(),
    ...facts.dependencies.values(),
    ...facts.referrers.values(),
  ];
  const claims = [...facts.sampleClaims.values()].flat().map(({ answer }) => answer);
  const samples = [...facts.samplePods.values(), ...claims].flatMap((answer) =>
    !answer.ok && isMissingPermission(answer.failure) ? [answer.failure.message] : [],
  );
  const messages = [...samples, ...read.flatMap((fact) => (fact.known ? [] : [fact.why]))];
  return messages.flatMap((message) => {
    const right = rightIn(message);
    return right === undefined ? [] : [{ ...right, unknown: describeUnknown(right) }];
  });
}

const otherwise = "A deployment without these permissions keeps objects that might be in use";

/**
 * Lists the missing permissions to find users of deleted objects.
 * The deployment needs the same permission to decide which objects it keeps, so the finding names
 * each object.
 */
function userPermissionGaps(plan: Plan, { users }: ClusterFacts): readonly CheckPermissionGap[] {
  // An object that a declared workload uses stays in any case.
  const { deletions } = predictDeletions(plan, { users }, "preview");
  return [...users].flatMap(([namespace, fact]) => {
    const right = fact.known ? undefined : rightIn(fact.why);
    if (right === undefined) return [];
    const names = deletions
      .filter((each) => each.id.namespace === namespace && usableObjects(each).length > 0)
      .map(({ id }) => nameOf(id));
    const are = names.length === 1 ? "is" : "are";
    const unknown =
      names.length === 0
        ? describeUnknown(right)
        : `whether ${summarizeList(names.toSorted(), maxNames)} ${are} still used`;
    return [{ ...right, unknown, ...(names.length === 0 ? {} : { otherwise }) }];
  });
}

/** Describes the facts that are unknown without a permission. */
function describeUnknown({ verb, resource }: MissingPermission): string {
  if (resource === "resourcequotas") return "whether quotas are large enough";
  if (verb === "create" && resource === "pods") return "whether the API server accepts the Pods";
  if (verb === "create") return "whether the API server accepts their claims";
  return verb === "get"
    ? "whether the objects exist that Pods name"
    : "whether other objects name deleted objects";
}

const maxNames = 10;

function permissionFinding(namespace: string, gaps: readonly CheckPermissionGap[]): Finding {
  const names = [...new Set(gaps.map(({ verb, resource }) => `${verb} ${resource}`))].toSorted();
  const unknown = [...new Set(gaps.map((lack) => lack.unknown))].toSorted();
  const effects = new Set(gaps.flatMap((lack) => lack.otherwise ?? []));
  const place =
    namespace === "" ? "cluster-wide permissions" : `permissions in namespace ${namespace}`;
  return {
    code: "missing-permission",
    severity: "note",
    object: { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace },
    what: `This identity lacks ${place} for some checks`,
    why: [
      `It isn't allowed to ${summarizeList(names, maxNames)}`,
      `qvs can't check ${summarizeList(unknown, maxNames)}`,
      ...effects,
    ].join(". "),
    fix: "Add these rules to a role of the identity that creates previews; to allow create for dry runs only, see docs/concepts/previews.md#permissions",
    paste: formatRoleRules(gaps),
    where: [],
  };
}

/** Formats the rules of a Role. */
function formatRoleRules(permissions: readonly MissingPermission[]): readonly string[] {
  const byGroup = Map.groupBy(permissions, ({ verb, resource }) => {
    const dot = resource.indexOf(".");
    return JSON.stringify([dot < 0 ? "" : resource.slice(dot + 1), verb]);
  });
  return [...byGroup.keys()].toSorted().map((key) => {
    const [group, verb] = JSON.parse(key) as [string, string];
    const resources = (byGroup.get(key) ?? []).map(({ resource }) => resource.split(".")[0] ?? "");
    const list = [...new Set(resources)].toSorted().join(", ");
    return `- {apiGroups: ["${group}"], resources: [${list}], verbs: [${verb}]}`;
  });
}

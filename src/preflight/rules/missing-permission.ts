import { isMissingPermission } from "../../model/cluster/api-failure.ts";
import {
  type MissingPermission,
  missingPermission as rightIn,
} from "../../model/cluster/api-messages/permissions.ts";
import { usableObjects } from "../../model/cluster/pods.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { distinct, type Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";
import { summarizeList } from "../../model/text/closest.ts";
import type { ClusterFacts, Fact } from "../facts.ts";
import type { PreflightInput } from "../rule.ts";
import { whyOf } from "./why-of-notice.ts";

/**
 * Reports the permissions that qvs lacks, once per namespace.
 * It also reports permissions that the deploying identity is known to lack.
 */
export function missingPermission({ plan, facts }: PreflightInput): readonly Finding[] {
  const lacks = distinct([...missingRights(facts), ...missingToSeeUsers(plan, facts)]);
  const byNamespace = Map.groupBy(lacks, ({ namespace }) => namespace ?? "");
  return [
    ...[...byNamespace].map(([namespace, missing]) => findingOf(namespace, missing)),
    ...plan.notices.filter(({ code }) => code === "missing-permission").map(ofNotice(plan)),
  ];
}

/** Converts a notice about permissions into a finding about the namespace of the releases. */
export function ofNotice({ namespace }: Plan): (notice: Problem) => Finding {
  return (notice) => ({
    code: "missing-permission",
    severity: "note",
    object: { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace },
    what: notice.what,
    why: whyOf(notice),
    fix: listFixes(notice).join(", "),
    where: notice.where,
  });
}

/** A missing permission and the facts that are unknown without it. */
interface Lack extends MissingPermission {
  readonly unknown: string;
  /**
   * The effect on a deployment that lacks the permission too.
   * It is undefined if there is no effect.
   */
  readonly otherwise?: string;
}

function missingRights(facts: ClusterFacts): readonly Lack[] {
  const read: readonly Fact<unknown>[] = [
    ...facts.quotas.values(),
    ...facts.dependencies.values(),
    ...facts.namers.values(),
  ];
  const claims = [...facts.sampleClaims.values()].flat().map(({ answer }) => answer);
  const samples = [...facts.samplePods.values(), ...claims].flatMap((answer) =>
    !answer.ok && isMissingPermission(answer.failure) ? [answer.failure.message] : [],
  );
  const messages = [...samples, ...read.flatMap((fact) => (fact.known ? [] : [fact.why]))];
  return messages.flatMap((message) => {
    const right = rightIn(message);
    return right === undefined ? [] : [{ ...right, unknown: unknownWithout(right) }];
  });
}

const otherwise = "A deployment without these permissions keeps objects that might be in use";

/**
 * Lists the missing permissions to find users of deleted objects.
 * The deployment needs the same permission to decide which objects it keeps, so the finding names
 * each object.
 */
function missingToSeeUsers({ deletions }: Plan, { users }: ClusterFacts): readonly Lack[] {
  return [...users].flatMap(([namespace, fact]) => {
    const right = fact.known ? undefined : rightIn(fact.why);
    if (right === undefined) return [];
    const names = deletions
      .filter((each) => each.id.namespace === namespace && usableObjects(each).length > 0)
      .map(({ id }) => nameOf(id));
    const are = names.length === 1 ? "is" : "are";
    const unknown =
      names.length === 0
        ? unknownWithout(right)
        : `whether ${summarizeList(names.toSorted(), most)} ${are} still used`;
    return [{ ...right, unknown, ...(names.length === 0 ? {} : { otherwise }) }];
  });
}

/** Describes the facts that are unknown without a permission. */
function unknownWithout({ verb, resource }: MissingPermission): string {
  if (resource === "resourcequotas") return "whether quotas are large enough";
  if (verb === "create" && resource === "pods") return "whether the API server accepts the Pods";
  if (verb === "create") return "whether the API server accepts their claims";
  return verb === "get"
    ? "whether the objects exist that Pods name"
    : "whether other objects name deleted objects";
}

const most = 10;

function findingOf(namespace: string, rights: readonly Lack[]): Finding {
  const names = [...new Set(rights.map(({ verb, resource }) => `${verb} ${resource}`))].toSorted();
  const unknown = [...new Set(rights.map((lack) => lack.unknown))].toSorted();
  const effects = new Set(rights.flatMap((lack) => lack.otherwise ?? []));
  const place =
    namespace === "" ? "cluster-wide permissions" : `permissions in namespace ${namespace}`;
  return {
    code: "missing-permission",
    severity: "note",
    object: { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace },
    what: `This identity lacks ${place} for some checks`,
    why: [
      `It isn't allowed to ${summarizeList(names, most)}`,
      `qvs can't check ${summarizeList(unknown, most)}`,
      ...effects,
    ].join(". "),
    fix: "Add these rules to a role of the identity that creates previews; to allow create for dry runs only, see docs/concepts/previews.md#permissions",
    paste: rulesFor(rights),
    where: [],
  };
}

/** Formats the rules of a Role. */
function rulesFor(rights: readonly MissingPermission[]): readonly string[] {
  const byGroup = Map.groupBy(rights, ({ verb, resource }) => {
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

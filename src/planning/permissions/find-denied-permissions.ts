import pMap from "p-map";
import { at, isList, type Json, type JsonObject, listAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Fact, Problem } from "../../model/problems/problem.ts";
import { listFixes } from "../../model/problems/problem-text.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { type Cluster, sharedReads } from "../../ports/kubernetes.ts";
import type { Permission, PermissionCommand } from "./permission.ts";

/** Returns the action that grants all permissions of a command, for a fix in lower case. */
export function applyRolesAdvice(command: PermissionCommand, deployment: string): string {
  return `apply the roles that this command prints: ${rbacCommand(command, deployment)}`;
}

/** Adds the command that prints the roles to a missing permission, unless a fix names it. */
export function withRolesAdvice(
  problem: Problem,
  command: PermissionCommand,
  deployment: string,
): Problem {
  const isNamed = () =>
    listFixes(problem).some((fix) => fix.includes(rbacCommand(command, deployment)));
  if (problem.code !== "missing-permission" || isNamed()) return problem;
  const advice = applyRolesAdvice(command, deployment);
  return { ...problem, otherwise: [...(problem.otherwise ?? []), advice] };
}

function rbacCommand(command: PermissionCommand, deployment: string): string {
  return `qvs rbac ${command} -d ${deployment}`;
}

/** Reports missing permissions, with one problem for each resource and namespace. */
export function permissionProblems(
  rights: readonly Permission[],
  command: PermissionCommand,
  deployment: string,
): readonly Problem[] {
  const byResource = Map.groupBy(rights, ({ namespace, group, resource }) =>
    JSON.stringify([namespace, group, resource]),
  );
  return [...byResource.values()].map((same) => ({
    code: "missing-permission",
    what: `"${deployment}": this identity isn't allowed to ${permissionsText(same)}`,
    facts: objectsFact(same),
    fix: `Apply the roles that this command prints: ${rbacCommand(command, deployment)}`,
    where: [],
  }));
}

const maxListed = 5;

/** Returns the names of the objects; none if the permissions are for all objects. */
function objectsFact(rights: readonly Permission[]): readonly Fact[] {
  const names = [...new Set(rights.flatMap(({ name }) => name ?? []))].toSorted();
  const isOfAll = rights.some(({ name }) => name === undefined);
  return isOfAll || names.length === 0
    ? []
    : [{ label: "objects", value: summarizeList(names, maxListed) }];
}

/** Formats permissions: `create, patch services in namespace shop`. */
function permissionsText(rights: readonly Permission[]): string {
  const [{ group, resource, namespace } = { group: "", resource: "", namespace: undefined }] =
    rights;
  const verbs = [...new Set(rights.map(({ verb }) => verb))].toSorted();
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  const what = group === "" ? resource : `${resource}.${group}`;
  return `${summarizeList(verbs, verbs.length)} ${what}${where}`;
}

/**
 * Returns the permissions that this identity lacks, in their order.
 * It requests the rules of each namespace once
 * (https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access). It
 * asks separately about each permission that these rules don't decide. A permission counts as
 * granted if the API server gives no answer: the real request will show it.
 */
export async function findDeniedPermissions<T extends Permission>(
  cluster: Cluster,
  rights: readonly T[],
  concurrency: number,
): Promise<readonly T[]> {
  const namespaces = [...new Set(rights.flatMap(({ namespace }) => namespace ?? []))];
  const rules = new Map(
    await pMap(
      namespaces,
      async (namespace) => [namespace, await readRules(cluster, namespace)] as const,
      { concurrency },
    ),
  );
  const undecided = rights.filter(
    (right) => !namespaceRules(rules, right)?.rules.some((rule) => allows(rule, right)),
  );
  const toReview = undecided.filter((right) => !namespaceRules(rules, right)?.isComplete);
  const denied = await pMap(
    toReview.slice(0, maxReviews),
    async (right) => {
      const isAllowed = await isAllowedEverywhere(cluster, right);
      return !isAllowed && (await isDenied(cluster, right)) ? [right] : [];
    },
    { concurrency },
  );
  const known = new Set([
    ...undecided.filter((right) => namespaceRules(rules, right)?.isComplete),
    ...denied.flat(),
  ]);
  return undecided.filter((right) => known.has(right));
}

/**
 * The most permissions to ask about separately.
 * Each of them is a request, and large deployments have thousands.
 */
const maxReviews = 200;

function namespaceRules(
  rules: ReadonlyMap<string, AccessRules | undefined>,
  { namespace }: Permission,
): AccessRules | undefined {
  return namespace === undefined ? undefined : rules.get(namespace);
}

interface AccessRules {
  readonly rules: readonly Json[];
  /** True if the rules contain everything that is allowed. */
  readonly isComplete: boolean;
}

async function readRules(cluster: Cluster, namespace: string): Promise<AccessRules | undefined> {
  const review = reviewRequest("SelfSubjectRulesReview", { namespace });
  const answer = await cluster.create(review, { dryRun: true });
  if (!answer.ok) return undefined;
  const isComplete = at(answer.value, "status", "incomplete") === false;
  return { rules: listAt(answer.value, "status", "resourceRules"), isComplete };
}

/**
 * Reports whether the permission is granted for all names of a cluster-scoped kind. The deployments
 * of a run ask this once. If it isn't granted for all of them, qvs asks about the name.
 */
async function isAllowedEverywhere(cluster: Cluster, right: Permission): Promise<boolean> {
  if (right.namespace !== undefined) return false;
  const review = accessReview({ ...right, name: undefined });
  const answer = await sharedReads(cluster).review(review);
  return answer.ok && at(answer.value, "status", "allowed") === true;
}

async function isDenied(cluster: Cluster, right: Permission): Promise<boolean> {
  const answer = await cluster.create(accessReview(right), { dryRun: true });
  return answer.ok && at(answer.value, "status", "allowed") === false;
}

function accessReview(right: Permission): KubeObject {
  const { namespace, group, verb, name } = right;
  const [resource = "", subresource] = right.resource.split("/");
  return reviewRequest("SelfSubjectAccessReview", {
    resourceAttributes: {
      ...{ group, verb, resource },
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource }),
    },
  });
}

/**
 * Returns a review, which stores nothing.
 * It is sent as a dry run, so that it passes if admission denies all other requests of this
 * identity.
 */
function reviewRequest(kind: string, spec: JsonObject): KubeObject {
  return { apiVersion: "authorization.k8s.io/v1", kind, metadata: {}, spec };
}

function allows(rule: Json, { group, resource, verb, name }: Permission): boolean {
  const [, subresource] = resource.split("/");
  const names = listAt(rule, "resourceNames");
  return (
    matchesField(rule, "apiGroups", [group]) &&
    matchesField(rule, "verbs", [verb]) &&
    matchesField(rule, "resources", [resource, `*/${subresource}`]) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function matchesField(rule: Json, field: string, texts: readonly string[]): boolean {
  const list = at(rule, field);
  return isList(list) && list.some((each) => each === "*" || texts.some((text) => text === each));
}

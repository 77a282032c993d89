import pMap from "p-map";
import { at, isList, type Json, type JsonObject, listAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Right } from "./right.ts";

/**
 * Returns the permissions that this identity lacks, in their order.
 * It requests the rules of each namespace once
 * (https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access). It
 * asks separately about each permission that these rules don't decide. A permission counts as
 * granted if the API server gives no answer: the real request will show it.
 */
export async function missingAmong<T extends Right>(
  cluster: Cluster,
  rights: readonly T[],
  concurrency: number,
): Promise<readonly T[]> {
  const namespaces = [...new Set(rights.flatMap(({ namespace }) => namespace ?? []))];
  const rules = new Map(
    await pMap(
      namespaces,
      async (namespace) => [namespace, await rulesIn(cluster, namespace)] as const,
      { concurrency },
    ),
  );
  const untold = rights.filter(
    (right) => !rulesFor(rules, right)?.rules.some((rule) => allows(rule, right)),
  );
  const open = untold.filter((right) => !rulesFor(rules, right)?.isComplete);
  const denied = await pMap(
    open.slice(0, mostAsked),
    async (right) => ((await isDenied(cluster, right)) ? [right] : []),
    { concurrency },
  );
  const known = new Set([
    ...untold.filter((right) => rulesFor(rules, right)?.isComplete),
    ...denied.flat(),
  ]);
  return untold.filter((right) => known.has(right));
}

/**
 * The most permissions to ask about separately.
 * Each of them is a request, and large deployments have thousands.
 */
const mostAsked = 200;

function rulesFor(
  rules: ReadonlyMap<string, Rules | undefined>,
  { namespace }: Right,
): Rules | undefined {
  return namespace === undefined ? undefined : rules.get(namespace);
}

interface Rules {
  readonly rules: readonly Json[];
  /** True if the rules contain everything that is allowed. */
  readonly isComplete: boolean;
}

async function rulesIn(cluster: Cluster, namespace: string): Promise<Rules | undefined> {
  const status = await review(cluster, "SelfSubjectRulesReview", { namespace });
  if (status === undefined) return undefined;
  const isComplete = at(status, "incomplete") === false;
  return { rules: listAt(status, "resourceRules"), isComplete };
}

async function isDenied(cluster: Cluster, right: Right): Promise<boolean> {
  const { namespace, group, verb, name } = right;
  const [resource = "", subresource] = right.resource.split("/");
  const status = await review(cluster, "SelfSubjectAccessReview", {
    resourceAttributes: {
      ...{ group, verb, resource },
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource }),
    },
  });
  return status !== undefined && at(status, "allowed") === false;
}

/**
 * Sends a review, which stores nothing.
 * It is a dry run, so that it passes if admission denies all other requests of this identity.
 */
async function review(cluster: Cluster, kind: string, spec: JsonObject): Promise<Json | undefined> {
  const asked: KubeObject = { apiVersion: "authorization.k8s.io/v1", kind, metadata: {}, spec };
  const answer = await cluster.create(asked, { dryRun: true });
  return answer.ok ? at(answer.value, "status") : undefined;
}

function allows(rule: Json, { group, resource, verb, name }: Right): boolean {
  const [, subresource] = resource.split("/");
  const names = listAt(rule, "resourceNames");
  return (
    holds(rule, "apiGroups", [group]) &&
    holds(rule, "verbs", [verb]) &&
    holds(rule, "resources", [resource, `*/${subresource}`]) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function holds(rule: Json, field: string, texts: readonly string[]): boolean {
  const list = at(rule, field);
  return isList(list) && list.some((each) => each === "*" || texts.some((text) => text === each));
}

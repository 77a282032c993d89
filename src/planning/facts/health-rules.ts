import pMap from "p-map";
import { servesStatus } from "../../apply/readiness/first-status.ts";
import { deriveRule } from "../../health/derive-rule.ts";
import { createHealthEvaluator, type HealthEvaluator } from "../../health/evaluator.ts";
import { findUnknownFields } from "../../health/rule.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { definedStatus, hasStatusSchema } from "../../model/cluster/namespaces-and-crds.ts";
import { healthExpressions } from "../../model/health-rule.ts";
import { isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { HealthRuleFault, UnruledKind } from "../../preflight/cluster-facts.ts";
import { customSchemas } from "../../validation/custom-types.ts";
import type { FactsReader } from "./unready.ts";

/**
 * Finds the kinds that write a status and have no health rule, if the plan changes awaited objects
 * of them that show no state. It derives a rule for each.
 * The schema comes from a CustomResourceDefinition of the plan, the live one, or the OpenAPI
 * document.
 */
export async function readUnruledKinds(
  { cluster, concurrency }: Pick<FactsReader, "cluster" | "concurrency">,
  plan: Plan,
): Promise<ReadonlyMap<string, UnruledKind>> {
  const health = createHealthEvaluator(plan.health);
  const unruled = plan.changes.filter((change) => isUnruled(change, health));
  const byKind = Map.groupBy(unruled, ({ id }) => kindKey(id));
  const read = await pMap(
    byKind,
    async ([kind, changes]) => [kind, await readKind(cluster, plan, changes)] as const,
    { concurrency },
  );
  return new Map(read.flatMap(([kind, found]) => (found === undefined ? [] : [[kind, found]])));
}

/**
 * Reports whether no rule and no live status shows when a changed object is ready. A live object
 * that shows a state by its conventions needs no rule.
 */
function isUnruled({ id, action, desired, live }: Change, health: HealthEvaluator): boolean {
  if (action === "unchanged" || isBuiltInGroup(id.group) || health.hasRule(id)) return false;
  if (!readWaitPolicy(desired).isAwaited) return false;
  return action !== "update" || live === undefined || !health.judge(live).isReported;
}

async function readKind(
  cluster: Cluster,
  plan: Plan,
  changes: readonly Change[],
): Promise<UnruledKind | undefined> {
  const [first] = changes;
  if (first === undefined) return undefined;
  const { apiVersion, kind } = first.desired;
  const { definitions, schema } = await readKindSchema(cluster, plan, first.desired);
  const isDefined = definedStatus(definitions, first.desired);
  const hasStatus =
    isDefined ?? (hasStatusSchema(schema) || (await servesStatus(cluster, apiVersion, kind)));
  if (!hasStatus) return undefined;
  const rule = deriveRule({
    schema,
    columns: printerColumns(definitions, apiVersion),
    liveTypes: liveConditionTypes(plan, kindKey(first.id)),
  });
  return { keys: changes.map(({ key }) => key), apiVersion, kind, rule };
}

function printerColumns(definitions: readonly KubeObject[], apiVersion: string): readonly Json[] {
  return definitions
    .flatMap((each) => listAt(each, "spec", "versions"))
    .filter((each) => textAt(each, "name") === apiVersion.split("/").at(-1))
    .flatMap((each) => listAt(each, "additionalPrinterColumns"));
}

/** Returns the types of the conditions in the live objects of a kind in the plan. */
function liveConditionTypes({ changes, deletions }: Plan, kind: string): readonly string[] {
  return [...changes, ...deletions]
    .filter(({ id }) => kindKey(id) === kind)
    .flatMap(({ live }) => listAt(live, "status", "conditions"))
    .flatMap((each) => (isObject(each) ? (textAt(each, "type") ?? []) : []));
}

/**
 * Finds the fields that the health rules of the user read, and that the definitions of their kinds
 * in the cluster don't have. Only kinds whose awaited objects the plan changes count.
 */
export async function readHealthRuleFaults(
  { cluster, concurrency }: Pick<FactsReader, "cluster" | "concurrency">,
  plan: Plan,
): Promise<readonly HealthRuleFault[]> {
  const { userRule } = createHealthEvaluator(plan.health);
  const changed = plan.changes.filter(
    ({ id, action, desired }) =>
      action !== "unchanged" && userRule(id) !== undefined && readWaitPolicy(desired).isAwaited,
  );
  const kinds = new Map(changed.toReversed().map((change) => [kindKey(change.id), change]));
  const found = await pMap(
    kinds.values(),
    async ({ key, id, desired }) => {
      const rule = userRule(id);
      const { schema } = await readKindSchema(cluster, plan, desired);
      if (rule === undefined || schema === undefined) return [];
      return healthExpressions.flatMap((expression) =>
        findUnknownFields(rule[expression] ?? "true", schema).map(({ path, meant }) => ({
          ...{ key, expression, meant, source: rule.source },
          field: path.join("."),
        })),
      );
    },
    { concurrency },
  );
  return found.flat();
}

/** The definition of a kind, as far as qvs can read it. */
interface KindSchema {
  /** Objects, the CustomResourceDefinition of the kind among them. */
  readonly definitions: readonly KubeObject[];
  readonly schema: JsonObject | undefined;
}

/**
 * Reads the schema of a kind: from a CustomResourceDefinition of the plan, from the live one, or
 * from the OpenAPI document of the API server, which every identity can read.
 */
async function readKindSchema(
  cluster: Cluster,
  plan: Pick<Plan, "changes">,
  { apiVersion, kind, metadata }: KubeObject,
): Promise<KindSchema> {
  const definitions = await readDefinitions(cluster, plan, { apiVersion, kind, metadata });
  const defined = customSchemas(definitions).get(`${apiVersion}/${kind}`);
  if (defined !== undefined) return { definitions, schema: defined };
  const answer = await cluster.schema(apiVersion, kind);
  return { definitions, schema: answer.ok ? answer.value : undefined };
}

/** Returns the definition of a kind: from the plan, or live if this identity can read it. */
async function readDefinitions(
  cluster: Cluster,
  { changes }: Pick<Plan, "changes">,
  object: KubeObject,
): Promise<readonly KubeObject[]> {
  const planned = changes.map(({ predicted, desired }) => predicted ?? desired);
  if (definedStatus(planned, object) !== undefined) return planned;
  const served = await cluster.kind(object.apiVersion, object.kind);
  if (!served.ok) return [];
  const crd = await cluster.read({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    namespace: "",
    name: `${served.value.plural}.${served.value.group}`,
  });
  return crd.ok && crd.value !== undefined ? [crd.value] : [];
}

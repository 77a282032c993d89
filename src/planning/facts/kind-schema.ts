import { definedStatus } from "../../model/cluster/namespaces-and-crds.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { customSchemas } from "../../validation/custom-types.ts";

/** The definition of a kind, as far as qvs can read it. */
export interface KindSchema {
  /** Objects, the CustomResourceDefinition of the kind among them. */
  readonly definitions: readonly KubeObject[];
  readonly schema: JsonObject | undefined;
}

/**
 * Reads the schema of a kind: from a CustomResourceDefinition of the plan, from the live one, or
 * from the OpenAPI document of the API server, which every identity can read.
 */
export async function readKindSchema(
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

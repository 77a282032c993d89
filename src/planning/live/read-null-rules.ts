import pMap from "p-map";
import {
  type ApiFailure,
  type ApiResult,
  apiProblem,
} from "../../model/cluster/api/api-failure.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TypeMeta } from "../../model/object.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import { withoutClusterFields } from "../../plan/declared/cluster-fields.ts";
import {
  type FindNullRules,
  kindsWithNulls,
  unknownRules,
} from "../../plan/declared/manifest-nulls.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { customSchemas } from "../../validation/custom-types.ts";
import type { NullRules } from "../../validation/nulls.ts";

/**
 * Reads the rules for null of the kinds that need them; sends no request for manifests without
 * null.
 * The rules come from the live CustomResourceDefinition. If this identity isn't allowed to read it,
 * they come from the OpenAPI document of the API server. The API server publishes that document a
 * moment after the definition. Until then, a null of a new definition would look like a stray null.
 */
export async function readNullRules(
  cluster: Cluster,
  manifests: readonly Manifest[],
  concurrency: number,
): Promise<Result<FindNullRules>> {
  const kinds = kindsWithNulls(manifests.map(withoutClusterFields));
  const answers = await pMap(
    kinds,
    async (kind) => ({ kind, answer: await readSchema(cluster, kind) }),
    { concurrency },
  );
  const problems = answers.flatMap(({ kind, answer }) =>
    answer.ok || !isTemporary(answer.failure)
      ? []
      : [
          apiProblem(
            cluster,
            `read the schema of ${kind.kind} in ${kind.apiVersion}`,
            answer.failure,
          ),
        ],
  );
  if (problems.length > 0) return failed(problems);
  const rules = new Map(
    answers.map(({ kind, answer }) => [kindKey(kind), toNullRules(answer)] as const),
  );
  return ok((apiVersion, kind) => rules.get(kindKey({ apiVersion, kind })) ?? unknownRules());
}

function kindKey({ apiVersion, kind }: TypeMeta): string {
  return `${apiVersion}/${kind}`;
}

/**
 * Reports whether the failure can be temporary.
 * A run without the schema would remove the nulls that earlier runs have sent.
 */
function isTemporary({ reason, status }: ApiFailure): boolean {
  return reason === "unreachable" || reason === "unauthorized" || status === 429 || status >= 500;
}

function toNullRules(answer: ApiResult<JsonObject | undefined>): NullRules {
  if (!answer.ok) return { by: "nothing", why: answer.failure.message };
  return answer.value === undefined
    ? { by: "nothing", why: "the API server publishes no schema" }
    : { by: "schema", schema: answer.value };
}

async function readSchema(
  cluster: Cluster,
  { apiVersion, kind }: TypeMeta,
): Promise<ApiResult<JsonObject | undefined>> {
  const served = await cluster.kind(apiVersion, kind);
  if (!served.ok) return served;
  const crd = await cluster.read({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    namespace: "",
    name: `${served.value.plural}.${served.value.group}`,
  });
  const defined = crd.ok && crd.value !== undefined ? [crd.value] : [];
  const schema = customSchemas(defined).get(kindKey({ apiVersion, kind }));
  // A kind behind an APIService has no definition.
  return schema === undefined ? cluster.schema(apiVersion, kind) : { ok: true, value: schema };
}

import type { ApiResult } from "../../../model/cluster/api-failure.ts";
import { at, isObject, type JsonObject, listAt, parseJson, textAt } from "../../../model/json.ts";
import { formatApiVersion, groupOf } from "../../../model/object.ts";
import type { Transport } from "../transport/transport.ts";
import { groupVersionPath } from "./requests.ts";

/**
 * Reads the schema of a kind from the OpenAPI v3 document of its group and version. Every
 * authenticated identity can read the document (`system:discovery`). Undefined if the document
 * doesn't contain the kind.
 */
export async function readSchema(
  transport: Transport,
  apiVersion: string,
  kind: string,
): Promise<ApiResult<JsonObject | undefined>> {
  const path = `/openapi/v3${groupVersionPath(apiVersion)}`;
  const { answer } = await transport.send({ method: "GET", path, repeatable: true });
  if (!answer.ok) {
    return answer.failure.reason === "not-found" ? { ok: true, value: undefined } : answer;
  }
  const schemas = at(parseJson(answer.value), "components", "schemas");
  const found = Object.values(isObject(schemas) ? schemas : {}).find((schema) =>
    listAt(schema, "x-kubernetes-group-version-kind").some((each) => {
      const [group = "", version = "", name] = ["group", "version", "kind"].map((field) =>
        textAt(each, field),
      );
      const isOfVersion =
        group === groupOf(apiVersion) && formatApiVersion({ group, version }) === apiVersion;
      return isOfVersion && name === kind;
    }),
  );
  return { ok: true, value: isObject(found) ? found : undefined };
}

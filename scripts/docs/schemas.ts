import { configDocument } from "../../src/editors/config-schema.ts";
import { deploymentsDocument } from "../../src/editors/deployments-schema.ts";
import { paramsDocument } from "../../src/editors/params-schema.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** The schemas that are published: path → text. */
export const schemaFiles: ReadonlyMap<string, string> = new Map([
  ["schema/qvs.schema.json", text(configDocument())],
  ["schema/deployments.schema.json", text(deploymentsDocument())],
  ["schema/params.schema.json", text(paramsDocument())],
]);

function text(schema: JsonObject): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

import { deploymentsSchema } from "../config/parse-deployments.ts";
import type { JsonObject } from "../model/json.ts";
import { schemaDocument } from "./schema-document.ts";

export function deploymentsDocument(): JsonObject {
  return schemaDocument("Deployments of a repository", "deployments-yaml.md", deploymentsSchema);
}

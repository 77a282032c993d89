import { deploymentsSchema } from "../config/parse-deployments.ts";
import type { JsonObject } from "../model/json.ts";
import { document } from "./document.ts";

export function deploymentsDocument(): JsonObject {
  return document("Deployments of a repository", "deployments-yaml.md", deploymentsSchema);
}

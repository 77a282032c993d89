import { stages } from "../model/compilation.ts";
import { fieldOf, isObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { type OwnedFields, ownersOf } from "./managed-fields.ts";

/**
 * Managers that apply an object, too, by Server-Side Apply, sorted: to them it is an object that they have declared. Who only writes
 * its metadata, its status or its number of replicas does not count, since that is no object without us.
 */
export function otherAppliers(live: KubeObject): readonly string[] {
  const managers = ownersOf(live)
    .filter(declaresIt)
    .map(({ manager }) => manager);
  return [...new Set(managers)].toSorted();
}

function declaresIt({ manager, operation, subresource, fields }: OwnedFields): boolean {
  return (
    operation === "Apply" && subresource === "" && !isOfDeployment(manager) && hasContent(fields)
  );
}

/** What a deployment of ours applies carries its label, so that an entry of another one is left from a former name. */
function isOfDeployment(manager: string): boolean {
  return stages.some((stage) => manager.startsWith("qvs-") && manager.endsWith(`-${stage}`));
}

const beside: ReadonlySet<string> = new Set(["f:metadata", "f:status", "f:apiVersion", "f:kind"]);

function hasContent(fields: JsonObject): boolean {
  const names = Object.keys(fields).filter((name) => !beside.has(name));
  return names.some((name) => name !== "f:spec" || !isNumberOfReplicas(fieldOf(fields, name)));
}

function isNumberOfReplicas(spec: unknown): boolean {
  if (!isObject(spec as JsonObject)) return false;
  const names = Object.keys(spec as JsonObject).filter((name) => name !== ".");
  return names.every((name) => name === "f:replicas");
}

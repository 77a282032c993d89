import { dependsOnAnnotation } from "../../model/annotations.ts";
import { annotation, type ObjectId } from "../../model/object.ts";
import type { DesiredObject } from "../declared/desired.ts";

/** One entry of the annotation `vs.axis-dev.io/dependsOn`. */
export interface DependsOnEntry {
  /** As written. */
  readonly text: string;
  /** undefined when it can't be understood. */
  readonly id: ObjectId | undefined;
}

const entryPattern = /^([^:\s/]+):([A-Za-z0-9]+)::(?:([^/\s:]+)\/)?([^/\s]+)$/;

/** The entries of an object's dependsOn annotation in the order written: `<group>:<Kind>::<namespace>/<name>`. */
export function dependsOnEntries({ object }: DesiredObject): readonly DependsOnEntry[] {
  const text = annotation(object, dependsOnAnnotation) ?? "";
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => ({ text: entry, id: parseEntry(entry) }));
}

/**
 * The objects that an entry may mean. Without a namespace it names a cluster-scoped object or, since people leave it
 * out, one in the namespace of the object that carries the annotation.
 */
export function candidates(entry: ObjectId, owner: DesiredObject): readonly ObjectId[] {
  if (entry.namespace !== "" || owner.id.namespace === "") return [entry];
  return [entry, { ...entry, namespace: owner.id.namespace }];
}

function parseEntry(text: string): ObjectId | undefined {
  const [, group, kind, namespace, name] = entryPattern.exec(text) ?? [];
  if (group === undefined || kind === undefined || name === undefined) return undefined;
  return { group: group === "core" ? "" : group, kind, namespace: namespace ?? "", name };
}

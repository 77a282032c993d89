import type { Manifest, Resource } from "../model/compilation.ts";
import { textAt } from "../model/json.ts";
import { groupOf } from "../model/object.ts";
import type { Position, Problem } from "../model/problem.ts";

/**
 * Two resource ids that stand for one object: each would undo what the other one does. Objects without a namespace are
 * compared as they are; what the deployment's namespace makes equal is found by the plan.
 */
export function sameObjects(
  resources: readonly Resource[],
  places: ReadonlyMap<string, Position | undefined>,
): readonly Problem[] {
  const manifests = resources.filter((each) => each.type === "manifest");
  return [...Map.groupBy(manifests, identity).values()]
    .filter((same) => same.length > 1)
    .map((same) => {
      const [first] = same;
      const keys = same.map(({ stage, id }) => `${stage}/${id}`);
      return {
        where: keys.flatMap((key) => places.get(key) ?? []),
        what: `${nameOf(first as Manifest)} is declared by ${same.length} resources: ${keys.join(", ")}`,
        fix: "Give them one resource id so that they are unified, or different names",
      };
    });
}

function identity({ object, stage, id }: Manifest): string {
  const name = textAt(object, "metadata", "name") ?? "";
  // What has no name is a problem of its own.
  if (name === "") return `${stage}/${id}`;
  const group = groupOf(textAt(object, "apiVersion") ?? "");
  const namespace = textAt(object, "metadata", "namespace") ?? "";
  return JSON.stringify([group, textAt(object, "kind"), namespace, name]);
}

function nameOf({ object }: Manifest): string {
  const name = textAt(object, "metadata", "name") ?? "";
  const namespace = textAt(object, "metadata", "namespace") ?? "";
  return `${textAt(object, "kind")} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

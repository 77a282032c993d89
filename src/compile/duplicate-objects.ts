import { textAt } from "../model/json.ts";
import { groupOf } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Resource } from "../model/sources/compilation.ts";
import type { Cue } from "../ports/cue.ts";
import type { RawResource } from "./export-resources.ts";
import { distinctPlaces } from "./positions.ts";
import { isQuotable, type Quoting } from "./problems/quoting.ts";

/**
 * Reports resources with different ids that are the same object. The last one to be applied would
 * overwrite the others.
 * An object without a namespace can also equal one in the deployment's namespace. The planner knows
 * that namespace and checks again.
 */
export function duplicateObjects(
  raw: readonly RawResource[],
  resources: readonly Resource[],
  quoting: Quoting,
  cue: Cue,
): readonly Problem[] {
  const named = resources.flatMap((resource, index) => {
    if (resource.type !== "manifest") return [];
    const { object, stage, id } = resource;
    const group = groupOf(textAt(object, "apiVersion") ?? "");
    const [kind, name] = [textAt(object, "kind"), textAt(object, "metadata", "name")];
    if (!kind || !name) return [];
    const namespace = textAt(object, "metadata", "namespace") ?? "";
    const value = raw[index]?.value;
    const position = value === undefined ? undefined : cue.position(value);
    const title = `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
    return [{ key: `${group} ${title}`, title, resource: `${stage}/${id}`, position }];
  });
  return [...Map.groupBy(named, ({ key }) => key).values()].flatMap((same) => {
    const [first, ...others] = same;
    if (first === undefined || others.length === 0) return [];
    const ids = same.map(({ resource }) => resource).join(", ");
    return [
      {
        code: "duplicate-object",
        where: distinctPlaces(...same.map(({ position }) => position)),
        what: isQuotable(first.title, quoting)
          ? `${first.title} is declared by ${same.length} resources`
          : `${same.length} resources declare the same object`,
        facts: [{ label: "resources", value: ids }],
        fix: "Give them one resource id, so that qvs unifies them",
        otherwise: ["give the objects different names"],
      },
    ];
  });
}

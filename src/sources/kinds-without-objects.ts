import { type Compilation, resourceKey } from "../model/compilation.ts";
import { textAt } from "../model/json.ts";
import { isWithoutObjects } from "../model/kinds-without-objects.ts";
import { declarationPlaces, type Problem } from "../model/problems/problem.ts";

/** Reports the manifests of kinds that the API server doesn't store. */
export function kindsWithoutObjectsProblems({ resources }: Compilation): readonly Problem[] {
  return resources.flatMap((resource): readonly Problem[] => {
    if (resource.type !== "manifest") return [];
    const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((name) =>
      textAt(resource.object, name),
    );
    if (!isWithoutObjects(apiVersion, kind)) return [];
    return [
      {
        code: "kind-without-objects",
        where: declarationPlaces(resource),
        what: `Resource ${resourceKey(resource)} is a ${kind}, which can't be deployed`,
        facts: [{ label: "kind", value: `${apiVersion}/${kind}` }],
        why: "The API server answers requests of this kind, and stores no object",
        fix: fixes.get(kind) ?? "Remove the manifest",
      },
    ];
  });
}

const fixes: ReadonlyMap<string, string> = new Map([
  ["Scale", "Remove the manifest, and set spec.replicas of the workload"],
  ["Binding", "Remove the manifest, and set spec.nodeName of the Pod or a node selector"],
]);

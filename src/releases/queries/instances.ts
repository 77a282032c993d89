import { isDoneWhenAbsent } from "../../model/cluster/jobs.ts";
import { declaresSuspension } from "../../model/cluster/suspension.ts";
import type { InventoryObject } from "../../model/deployments/deployment-state.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { idOf, isKubeObject, keyOf } from "../../model/object.ts";
import type { LayoutNode } from "../../model/sources/compilation.ts";
import { liveInventory } from "../inventory.ts";

/**
 * Returns the paths from the config to each adapter that contributed to a resource (`app/web`).
 * The outermost adapter is first. There are several paths if adapters were composed into one
 * object, and none if the record doesn't contain them.
 */
export function layoutPaths(layout: LayoutNode, resource: string): readonly (readonly string[])[] {
  return layout.composites.flatMap((node) => nodePaths(node, resource));
}

function nodePaths(node: LayoutNode, resource: string): readonly (readonly string[])[] {
  const own = node.resources.includes(resource) ? [[node.pattern]] : [];
  const below = node.composites.flatMap((composite) => nodePaths(composite, resource));
  return [...own, ...below.map((path) => [node.pattern, ...path])];
}

/**
 * Lists the objects of the current release in the order of its manifests.
 * The other objects of its inventory follow. If no release succeeded, it lists the objects of the
 * newest one, which might exist.
 */
export function recordedInstances(history: ReleaseHistory): readonly InventoryObject[] {
  const release = history.current ?? history.newest;
  if (release === undefined) return [];
  const inventory = new Map(liveInventory(history).map((entry) => [keyOf(entry.id), entry]));
  const declared = release.expandedConfig.flatMap((manifest): readonly InventoryObject[] => {
    const { object, stage } = manifest;
    if (!isKubeObject(object)) return [];
    const id = idOf(object);
    const key = keyOf(id);
    const resource = `${stage}/${manifest.resource}`;
    return [
      {
        ...{ key, id, stage, resource },
        apiVersion: object.apiVersion,
        release: release.revision,
        paths: layoutPaths(release.layout, resource),
        keepOnDelete: inventory.get(key)?.keepOnDelete,
        suspends: declaresSuspension(object),
        ...(release.inputConfig.health === undefined
          ? {}
          : { healthRules: release.inputConfig.health }),
        ...(release.status === "succeeded" && isDoneWhenAbsent(object)
          ? { isDoneWhenAbsent: true }
          : {}),
      },
    ];
  });
  const known = new Set(declared.map(({ key }) => key));
  const others = [...inventory].filter(([key]) => !known.has(key));
  return [
    ...declared,
    ...others.map(([key, { id, apiVersion, stage, keepOnDelete }]) => ({
      ...{ key, id, apiVersion, stage, keepOnDelete },
      release: undefined,
      resource: undefined,
      paths: [],
    })),
  ];
}

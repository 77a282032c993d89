import { minimalDeployment } from "../../deploying/queries/locate-deployment.ts";
import { deploymentLabel, releaseNamespaceLabel } from "../../model/annotations.ts";
import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import type { HealthRule } from "../../model/health-rule.ts";
import { textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import type { World } from "../../ports/world.ts";
import { recordedInstances } from "../../releases/queries/instances.ts";
import { readReadableReleases } from "../../releases/store.ts";

/**
 * Reads the health rules of the release that owns an object, by the labels of the object. The
 * release must contain the object, because a user can set labels.
 * Undefined if there is none, or if this identity isn't allowed to read the records. Kinds of
 * Kubernetes have no such rules, so it sends no request for them.
 */
export async function readReleaseRules(
  world: Pick<World, "target" | "decompress">,
  object: KubeObject,
  context: string | undefined,
): Promise<readonly HealthRule[] | undefined> {
  const id = idOf(object);
  const name = textAt(object, "metadata", "labels", deploymentLabel);
  const namespace = textAt(object, "metadata", "labels", releaseNamespaceLabel);
  const isLabeled = name !== undefined && namespace !== undefined;
  if (!isLabeled || isBuiltInGroup(id.group)) return undefined;
  const deployment = minimalDeployment(name, namespace, context);
  const { cluster } = await world.target(deployment);
  const read = await readReadableReleases(cluster, deployment, world);
  if (!read.ok) return undefined;
  const key = keyOf(id);
  return recordedInstances(read.value).find((each) => each.key === key)?.healthRules;
}

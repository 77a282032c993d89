import type { Json } from "../../model/json.ts";
import {
  type Compilation,
  type Resource,
  resourceKey,
  stages,
} from "../../model/sources/compilation.ts";
import { visible } from "../../redaction/visible.ts";
import { toYaml } from "../text/yaml.ts";

/**
 * Renders a compilation as YAML documents, each below a comment with its stage and resource ID.
 * `order` is the deploy order as `stage/id`. Resources that it doesn't name follow by stage and ID.
 */
export function renderManifests(compilation: Compilation, order: readonly string[] = []): string {
  return sortResources(compilation.resources, order).map(renderDocument).join("");
}

/** Renders `Pulumi.yaml`, the resources that Pulumi would own. Undefined if there are none. */
export function renderPulumi(compilation: Compilation): string | undefined {
  return compilation.pulumi === undefined ? undefined : toYaml(compilation.pulumi);
}

/** Returns the content of a resource for the cluster or its provider. */
export function resourceContent(resource: Resource): Json {
  return resource.type === "manifest" ? resource.object : resource.content;
}

function sortResources(
  resources: readonly Resource[],
  order: readonly string[],
): readonly Resource[] {
  const places = new Map(order.map((key, place) => [key, place]));
  const deployPosition = (resource: Resource) => places.get(resourceKey(resource)) ?? order.length;
  const stagePosition = (resource: Resource) => stages.indexOf(resource.stage);
  return resources.toSorted(
    (a, b) =>
      deployPosition(a) - deployPosition(b) ||
      stagePosition(a) - stagePosition(b) ||
      (a.id < b.id ? -1 : 1),
  );
}

function renderDocument(resource: Resource): string {
  const provider = resource.type === "foreign" ? ` (${resource.provider}, not applied)` : "";
  return `---\n# ${oneLine(resourceKey(resource) + provider)}\n${toYaml(resourceContent(resource))}`;
}

/**
 * Makes a resource ID safe for a YAML comment.
 * The ID comes from the adapter's author. A line break would end the comment, and YAML allows no
 * control characters.
 */
function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " "));
}

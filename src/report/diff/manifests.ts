import { type Compilation, type Resource, stages } from "../../model/compilation.ts";
import type { Json } from "../../model/json.ts";
import { visible } from "../../redaction/visible.ts";
import { toYaml } from "../text/yaml.ts";

/**
 * A compilation as YAML documents, each under a comment with its stage and resource id. `order` is the deploy order as
 * `stage/id`; resources that it does not name follow by stage and id.
 */
export function renderManifests(compilation: Compilation, order: readonly string[] = []): string {
  return inOrder(compilation.resources, order).map(renderDocument).join("");
}

/** `Pulumi.yaml`: what Pulumi would own; undefined when there is nothing. */
export function renderPulumi(compilation: Compilation): string | undefined {
  return compilation.pulumi === undefined ? undefined : toYaml(compilation.pulumi);
}

/** `stage/id`, the name of a resource within a compilation. */
export function resourceKey(resource: Pick<Resource, "stage" | "id">): string {
  return `${resource.stage}/${resource.id}`;
}

/** What a resource would be in the cluster or at its provider. */
export function contentOf(resource: Resource): Json {
  return resource.type === "manifest" ? resource.object : resource.content;
}

function inOrder(resources: readonly Resource[], order: readonly string[]): readonly Resource[] {
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = (resource: Resource) => places.get(resourceKey(resource)) ?? order.length;
  const stageOf = (resource: Resource) => stages.indexOf(resource.stage);
  return resources.toSorted(
    (a, b) => placeOf(a) - placeOf(b) || stageOf(a) - stageOf(b) || (a.id < b.id ? -1 : 1),
  );
}

function renderDocument(resource: Resource): string {
  const provider = resource.type === "foreign" ? ` (${resource.provider}, not applied)` : "";
  return `---\n# ${oneLine(resourceKey(resource) + provider)}\n${toYaml(contentOf(resource))}`;
}

/** A resource id is the adapter author's text: no line break in it may end the comment, and YAML allows no control character. */
function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " "));
}

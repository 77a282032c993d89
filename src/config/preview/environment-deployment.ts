import type { Deployment, EnvironmentDeployment } from "../../model/deployments/deployment.ts";
import {
  type EnvironmentOwner,
  environmentName,
  type PreviewTemplate,
  withNumber,
} from "../../model/deployments/preview-environment.ts";
import type { YamlMap, YamlNode } from "../../model/sources/yaml-node.ts";

/** An entry with a `preview`. */
export interface PreviewingDeployment extends Deployment {
  readonly preview: PreviewTemplate;
}

/** Returns the entries that have environments. */
export function previewingDeployments(
  entries: readonly Deployment[],
): readonly PreviewingDeployment[] {
  return entries.flatMap((entry) =>
    entry.preview === undefined ? [] : [{ ...entry, preview: entry.preview }],
  );
}

/** The pull request of an environment. */
export interface EnvironmentRequest extends Pick<EnvironmentOwner, "repository" | "list"> {
  readonly number: number;
  /** The head commit; undefined from the command line. */
  readonly head?: string | undefined;
}

/**
 * Returns the deployment that is the environment of a pull request.
 * Its releases and its lock are in the namespace of the copied entry, where its own objects can't
 * write.
 * Only its objects are in the namespace of the environment.
 */
export function environmentDeployment(
  entry: PreviewingDeployment,
  entries: readonly Deployment[],
  { number, repository, list, head }: EnvironmentRequest,
): Deployment & { readonly environmentOf: EnvironmentDeployment } {
  const { name, preview } = entry;
  const copied = entries.find((other) => other.name === preview.from) ?? entry;
  const { config, params, context, namespace, checks } = copied;
  return {
    name: environmentName(name, number),
    ...{ config, params, context, namespace },
    environment: undefined,
    dependsOn: [],
    ...(checks === undefined ? {} : { checks }),
    environmentOf: {
      recorded: {
        ...{ repository, list, entry: name, number, head },
        namespace: withNumber(preview.namespace, number),
        ttlMs: preview.ttlMs,
      },
      labels: preview.labels,
      params: preview.params && numberedMap(preview.params, number),
      url: preview.url && withNumber(preview.url, number),
    },
  };
}

function numberedMap(map: YamlMap, number: number): YamlMap {
  const entries = map.entries.map((entry) => ({ ...entry, value: numbered(entry.value, number) }));
  return { ...map, entries };
}

/** Replaces the placeholder in all strings. */
function numbered(node: YamlNode, number: number): YamlNode {
  if (node.kind === "map") return numberedMap(node, number);
  if (node.kind === "list")
    return { ...node, items: node.items.map((item) => numbered(item, number)) };
  return typeof node.value === "string"
    ? { ...node, value: withNumber(node.value, number), source: withNumber(node.source, number) }
    : node;
}

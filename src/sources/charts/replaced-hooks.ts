import { readRenderedYaml } from "../../config/yaml/read.ts";
import { groupOf, keyOf } from "../../model/object.ts";
import { textOf } from "../../model/yaml-node.ts";
import type { RenderedChart, RenderedHook } from "../../ports/render.ts";
import { hookPhase } from "./hooks.ts";

type Rendered = Pick<RenderedChart, "manifests" | "hooks">;

/**
 * Returns the hooks of upgrades that have the name of another object of the chart. In Helm, only
 * one of the two exists at a time. qvs deploys the one of the installation.
 */
export function replacedHooks(chart: Rendered, namespace: string): readonly RenderedHook[] {
  const { manifests, hooks } = chart;
  const deployed = hooks.filter((hook) => hookPhase(hook) !== "never");
  const upgrades = deployed.filter(isUpgradeOnly);
  const others = [...manifests, ...deployed.filter((hook) => !isUpgradeOnly(hook))];
  // Most charts have no such hook, and their objects needn't be read again.
  if (upgrades.length === 0) return [];
  const keys = new Set(others.flatMap((each) => keysOf(each, namespace)));
  return upgrades.filter((hook) => keysOf(hook, namespace).some((key) => keys.has(key)));
}

/** Reports whether a hook runs at upgrades, but not at the installation. */
export function isUpgradeOnly({ events }: Pick<RenderedHook, "events">): boolean {
  return !events.some((event) => event.endsWith("-install"));
}

/** Returns the keys of the objects in a document. A document that qvs can't read has none. */
function keysOf(
  { template, text }: Rendered["manifests"][number],
  namespace: string,
): readonly string[] {
  const read = readRenderedYaml(template, text);
  const documents = read.ok ? read.value : [];
  return documents.map((document) =>
    keyOf({
      group: groupOf(textOf(document, "apiVersion")),
      kind: textOf(document, "kind"),
      namespace: textOf(document, "metadata", "namespace") || namespace,
      name: textOf(document, "metadata", "name"),
    }),
  );
}

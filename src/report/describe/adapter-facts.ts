import type { Json } from "../../model/json.ts";
import type {
  AdapterDescription,
  DescribedComposite,
  Parameter,
  ResourceIds,
} from "../../model/sources/description.ts";

/** The facts about an adapter other than its parameters. Text and Markdown share these words. */

/** Returns the adapter's own description, by paragraphs. */
export function adapterParagraphs({ description, doc }: AdapterDescription): readonly string[] {
  const paragraphs = [description, ...doc.split(/\n\s*\n/)];
  return [...new Set(paragraphs.map((text) => text.replaceAll(/\s+/g, " ").trim()))].filter(
    (text) => text !== "",
  );
}

/** Returns text such as `required`, `default 8080` or `computed: parameters.host`. */
export function presenceText({
  presence,
  default: value,
  computed,
}: {
  readonly presence: Parameter["presence"];
  readonly default?: Json | undefined;
  readonly computed?: string | undefined;
}): string {
  switch (presence) {
    case "required":
      return "required";
    case "optional":
      return "optional";
    case "default":
      return `default ${value === undefined ? "" : JSON.stringify(value)}`.trim();
    case "computed":
      return computed === undefined ? "computed from its fields" : `computed: ${computed}`;
    case "conditional":
      return "conditional";
  }
}

export const moreResources = "others (IDs depend on params)";
export const moreComposites = "others (depending on params)";
export const pipelinesOnly = "It declares only pipelines, so qvs deploys nothing for it.";

/** Returns text such as `a.example/adapters/cache, group cache`. */
export function compositeText({ pattern, name, group }: DescribedComposite): string {
  const what = pattern || name || "a pattern without a name";
  return group === "" ? what : `${what}, group ${group}`;
}

export function resourceCount({ resources, pipelinesOnly }: AdapterDescription): string {
  if (pipelinesOnly) return "pipelines only";
  const stages = [resources.appSetup, resources.app];
  const known = stages.reduce((sum, { ids }) => sum + ids.length, 0);
  const more = stages.some((stage) => stage.more);
  if (known === 0) return more ? "some" : "none directly";
  return more ? `${known} or more` : String(known);
}

export function hasResources({ ids, more }: ResourceIds): boolean {
  return ids.length > 0 || more;
}

export function requiredNames({ parameters }: AdapterDescription): readonly string[] {
  const required = (parameters.fields ?? []).filter(({ presence }) => presence === "required");
  return required.map(({ name }) => name);
}

export function otherCount(adapter: AdapterDescription): number {
  return (adapter.parameters.fields ?? []).length - requiredNames(adapter).length;
}

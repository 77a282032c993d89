import type { ScalarTag, Tags } from "yaml";

/**
 * Returns the YAML 1.1 tags that kubectl supports.
 * kubectl reads `0o644` as a number, but has neither times nor base-60 numbers: `2026-11-22` and
 * `22:22` are strings.
 */
export const kubectlTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter((tag) => {
    if (typeof tag === "string") return !["timestamp", "intTime", "floatTime"].includes(tag);
    return tag.tag !== "tag:yaml.org,2002:timestamp" && (tag as ScalarTag).format !== "TIME";
  }),
];

/** Returns the tags of kubectl that make strings, numbers, booleans, lists and objects. */
export const kubectlJsonTags = (tags: Tags): Tags =>
  kubectlTags(tags).filter(
    (tag) => typeof tag === "string" || !/,2002:(merge|binary|omap|pairs|set)$/.test(tag.tag),
  );

const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number(text.replace(/^[-+]/, "")) * (text.startsWith("-") ? -1 : 1),
};

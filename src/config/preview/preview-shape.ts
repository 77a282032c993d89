import { isDnsLabel, isLabelValue, isQualifiedName } from "../../model/cluster/object-names.ts";
import {
  maxPullRequest,
  type PreviewTemplate,
  previewConditions,
  splitTemplate,
  withNumber,
} from "../../model/deployments/preview-environment.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";
import { readDuration, suggestDuration } from "../../model/text/duration.ts";
import {
  anyMap,
  described,
  oneOf,
  optional,
  record,
  required,
  shape,
  text,
  type YamlShape,
  type YamlText,
} from "../yaml/shape.ts";

const hourMs = 3_600_000;
const defaultTtlMs = 72 * hourMs;
const minTtlMs = 60_000;
const maxTtlMs = 720 * hourMs;

/** A lifetime in milliseconds, from 1m to 720h. */
const lifetime: YamlShape<number> = shape(
  (node, name, problems) => {
    const found = text(node, name, problems);
    if (found === undefined) return undefined;
    const milliseconds = readDuration(found.value);
    if (milliseconds !== undefined && milliseconds >= minTtlMs && milliseconds <= maxTtlMs)
      return milliseconds;
    const meant = milliseconds === undefined ? suggestDuration(found.value) : undefined;
    const rule = "Write a number with m or h, such as 90m or 72h, from 1m to 720h";
    const fix = meant === undefined ? rule : `Did you mean "${meant}"?`;
    problems.push(invalidPreview(node.where, `"${name}" isn't a valid lifetime`, fix));
    return undefined;
  },
  { type: "string", pattern: "^\\d+(\\.\\d+)?[smh]$" },
);

/** Labels of a namespace. */
const labels: YamlShape<Readonly<Record<string, string>>> = shape(readLabels, {
  type: "object",
  additionalProperties: text.schema,
});

function readLabels(
  node: YamlNode,
  name: string,
  problems: Problem[],
): Readonly<Record<string, string>> | undefined {
  const map = anyMap(node, name, problems);
  const entries = map?.entries.flatMap((entry) => {
    const value = text(entry.value, entry.name, problems);
    if (value === undefined) return [];
    if (isQualifiedName(entry.name) && isLabelValue(value.value) && !isOwn(entry.name))
      return [[entry.name, value.value] as const];
    const fix = isOwn(entry.name)
      ? "Remove it: qvs sets this label itself"
      : "Use the syntax of Kubernetes labels";
    problems.push(invalidPreview(entry.key.where, `"${entry.name}" isn't a valid label`, fix));
    return [];
  });
  return entries && Object.fromEntries(entries);
}

/** Reports whether only qvs or Kubernetes sets a label. */
function isOwn(name: string): boolean {
  const [domain = ""] = name.split("/");
  return (
    domain === "vs.axis-dev.io" ||
    name === "app.kubernetes.io/managed-by" ||
    name === "kubernetes.io/metadata.name"
  );
}

export const previewShape = record({
  namespace: described(
    "Namespace of an environment, with the placeholder for the number of the pull request.",
    required(text),
  ),
  params: described("Values that replace those of the parameter files.", optional(anyMap)),
  ttl: described(
    "Lifetime since the last deployment, up to 720h. Default: 72h.",
    optional(lifetime),
  ),
  from: described(
    "Name of the entry whose config and params an environment uses. Default: this entry.",
    optional(text),
  ),
  when: described(
    "Pull requests with an environment: those with the label, or always all. Default: label.",
    optional(oneOf(previewConditions)),
  ),
  label: described("Label of these pull requests. Default: preview.", optional(text)),
  labels: described("Labels of the namespace, such as those of Pod Security.", optional(labels)),
  url: described("Address of an environment, which the comment shows.", optional(text)),
});

type WrittenPreview = NonNullable<ReturnType<typeof previewShape>>;

/** Returns the template of an entry's environments. Reports invalid values. */
export function readPreview(written: WrittenPreview, problems: Problem[]): PreviewTemplate {
  const { namespace, params, ttl, from, when, label, labels: given, url } = written;
  reportNamespace(namespace, problems);
  reportUrl(url, problems);
  return {
    namespace: namespace.value,
    labels: given ?? {},
    params,
    ttlMs: ttl ?? defaultTtlMs,
    from: from?.value,
    when: when ?? "label",
    label: label?.value ?? "preview",
    url: url?.value,
  };
}

const placeholder = ["$", "{number}"].join("");

function reportNamespace({ value, where }: YamlText, problems: Problem[]): void {
  if (splitTemplate(value) === undefined) {
    const what = `"${value}" doesn't contain ${placeholder} exactly once`;
    const fix = `Write the number of the pull request as ${placeholder}, such as shop-pr-${placeholder}`;
    problems.push(invalidPreview(where, what, fix));
    return;
  }
  const longest = withNumber(value, maxPullRequest);
  if (isDnsLabel(longest)) return;
  problems.push({
    code: "invalid-name",
    where: [where],
    what: `"${value}" doesn't become a valid namespace`,
    facts: [{ label: "longest", value: longest }],
    fix: "Use at most 56 lowercase letters, digits and hyphens around the number",
  });
}

function reportUrl(url: YamlText | undefined, problems: Problem[]): void {
  if (url === undefined || /^https?:\/\/[\w.${}~:/?#@!&'*+,;=%-]{1,2000}$/.test(url.value)) return;
  const what = `"${url.value}" isn't an address`;
  problems.push(invalidPreview(url.where, what, "Use a URL that starts with https://"));
}

/** Returns the problem of an invalid value in a `preview`. */
export function invalidPreview(where: Position, what: string, fix: string): Problem {
  return { code: "invalid-preview", where: [where], what, fix };
}

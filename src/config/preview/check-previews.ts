import { isDnsLabel } from "../../model/cluster/object-names.ts";
import {
  environmentName,
  maxPullRequest,
  splitTemplate,
} from "../../model/deployments/preview-environment.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import type { YamlText } from "../yaml/shape.ts";
import { invalidPreview } from "./preview-shape.ts";

/** The parts of an entry that decide whether its environments collide with anything. */
interface PreviewingEntry {
  readonly name: YamlText;
  readonly namespace: YamlText | undefined;
  readonly preview:
    | { readonly namespace: YamlText; readonly from: YamlText | undefined }
    | undefined;
}

/**
 * Reports environments that would have the name or the namespace of something else, whatever the
 * number of the pull request is, and entries in `from` that no environment can copy.
 */
export function reportPreviews(entries: readonly PreviewingEntry[], problems: Problem[]): void {
  for (const [index, entry] of entries.entries()) {
    if (entry.preview === undefined) continue;
    reportName(entry, entries, problems);
    reportNamespace(entry.preview.namespace, entries, problems);
    reportEarlierTemplates(entry.preview.namespace, entries.slice(0, index), problems);
    reportFrom(entry, entries, problems);
  }
}

function reportName(
  { name }: PreviewingEntry,
  entries: readonly PreviewingEntry[],
  problems: Problem[],
): void {
  const longest = environmentName(name.value, maxPullRequest);
  if (isDnsLabel(name.value) && !isDnsLabel(longest)) {
    const what = `"${name.value}" is too long for the names of environments`;
    const facts = [{ label: "longest", value: longest }];
    const fix = "Use at most 52 characters";
    problems.push({ code: "invalid-name", where: [name.where], what, facts, fix });
  }
  const taken = entries.find((other) => isBetween(other.name.value, [`${name.value}-pr-`, ""]));
  if (taken === undefined) return;
  problems.push({
    code: "duplicate-name",
    where: [taken.name.where, name.where],
    what: `"${taken.name.value}" is also the name of an environment of "${name.value}"`,
    fix: "Rename one of the two deployments",
  });
}

function reportNamespace(
  { value, where }: YamlText,
  entries: readonly PreviewingEntry[],
  problems: Problem[],
): void {
  const template = splitTemplate(value);
  if (template === undefined) return;
  for (const { name, namespace } of entries) {
    if (namespace === undefined || !isBetween(namespace.value, template)) continue;
    const what = `An environment could have the namespace of "${name.value}"`;
    const fix = "Use another namespace for the environments";
    problems.push({
      ...invalidPreview(where, what, fix),
      facts: [{ label: "namespace", value: namespace.value }],
    });
  }
}

function reportEarlierTemplates(
  { value, where }: YamlText,
  earlier: readonly PreviewingEntry[],
  problems: Problem[],
): void {
  const template = splitTemplate(value);
  if (template === undefined) return;
  for (const { name, preview } of earlier) {
    const other = splitTemplate(preview?.namespace.value ?? "");
    if (other === undefined || !canMeet(template, other)) continue;
    const what = `Environments of "${name.value}" could have the same namespace`;
    problems.push(invalidPreview(where, what, "Use another namespace for one of the two"));
  }
}

/**
 * Reports whether two templates might give the same name. Only different characters before the
 * numbers, or after them, exclude that.
 */
function canMeet(
  [before, after]: readonly [string, string],
  [otherBefore, otherAfter]: readonly [string, string],
): boolean {
  return (
    (canStart(before, otherBefore) || canStart(otherBefore, before)) &&
    (canEnd(after, otherAfter) || canEnd(otherAfter, after))
  );
}

/** Reports whether a text starts with another one and a number, as far as it is known. */
function canStart(text: string, before: string): boolean {
  return text.startsWith(before) && /^(?:\d|$)/.test(text.slice(before.length));
}

/** Reports whether a text ends with a number and another one, as far as it is known. */
function canEnd(text: string, after: string): boolean {
  return text.endsWith(after) && /(?:^|\d)$/.test(text.slice(0, text.length - after.length));
}

/** Reports whether a name is a template with a number in it. */
function isBetween(name: string, [before, after]: readonly [string, string]): boolean {
  const middle = name.slice(before.length, name.length - after.length);
  return (
    name.length > before.length + after.length &&
    name.startsWith(before) &&
    name.endsWith(after) &&
    /^\d+$/.test(middle)
  );
}

function reportFrom(
  { name, preview }: PreviewingEntry,
  entries: readonly PreviewingEntry[],
  problems: Problem[],
): void {
  const from = preview?.from;
  if (from === undefined) return;
  if (from.value === name.value) {
    const what = `"from" names "${name.value}" itself`;
    problems.push(invalidPreview(from.where, what, 'Remove "from": this is the default'));
    return;
  }
  const copied = entries.find((entry) => entry.name.value === from.value);
  if (copied === undefined) {
    const names = entries.map((entry) => entry.name.value);
    problems.push({
      code: "unknown-deployment",
      where: [from.where],
      what: `Deployment "${from.value}" doesn't exist`,
      ...suggest(closest(from.value, names), "Name a deployment of this file"),
    });
    return;
  }
  const next = copied.preview?.from;
  if (next === undefined) return;
  const what = `The environments of "${from.value}" use the config of "${next.value}"`;
  problems.push(
    invalidPreview(from.where, what, `Set "from" to ${next.value}, or remove it there`),
  );
}

import type { Problem } from "../model/problems/problem.ts";
import {
  type ChangedSource,
  isReplaced,
  type LockedVersion,
} from "../model/sources/locked-source.ts";
import { inlineCode, type Phrase, placeLink, say, text } from "../redaction/phrase.ts";

/** More lines would hide the changes of the objects. */
const maxSources = 20;

/** The changed entries of the lockfile, under a heading. */
interface DescribedSources {
  readonly heading: Phrase;
  readonly items: readonly Phrase[];
}

/** Describes the sources with another entry in the lockfile; undefined if there are none. */
export function describeChangedSources(
  sources: readonly ChangedSource[] = [],
): DescribedSources | undefined {
  const [first] = sources;
  if (first === undefined) return undefined;
  const { file } = first.where;
  const rest = sources.length - maxSources;
  return {
    heading: say`Changed in ${placeLink({ file, line: 1 }, inlineCode(file))}:`,
    items: [
      ...sources.slice(0, maxSources).map(describeSource),
      ...(rest > 0 ? [say`and ${rest} more`] : []),
    ],
  };
}

const typeLabels: Readonly<Record<ChangedSource["type"], string>> = {
  module: "Module",
  chart: "Chart",
  base: "Remote base",
};

function describeSource(source: ChangedSource): Phrase {
  const { type, name, before, after } = source;
  const label = text(typeLabels[type]);
  const isMoved = before !== undefined && after !== undefined && before.from !== after.from;
  const version = (each: LockedVersion) =>
    say`${describeVersion(type, each)}${isMoved ? say` of ${inlineCode(each.from)}` : []}`;
  const used = after ?? before;
  // The name of a module stands for its repository unless it is new.
  const isKnown = type === "module" && before !== undefined;
  const isNamed = isMoved || isKnown || used === undefined || used.from === name;
  const place = isNamed ? [] : say` of ${inlineCode(used.from)}`;
  const subject = say`${label} ${inlineCode(name)}${place}`;
  if (after === undefined) return say`${subject} is no longer used`;
  if (before === undefined) return say`${subject} is new: ${version(after)}`;
  if (!isMoved && before.version === after.version)
    return say`${label} ${inlineCode(name)} ${inlineCode(after.version)}${place}: ${text(pinnedLabel(type))} ${inlineCode(shortId(before))} → ${inlineCode(shortId(after))}`;
  return say`${subject}: ${version(before)} → ${version(after)}`;
}

function pinnedLabel(type: ChangedSource["type"]): string {
  return type === "chart" ? "digest" : "commit";
}

/** Returns the version, with the commit unless the version is the commit. */
function describeVersion(type: ChangedSource["type"], source: LockedVersion): Phrase {
  if (type === "chart") return inlineCode(source.version);
  const commit = inlineCode(shortId(source));
  return source.version === source.pinned ? commit : say`${inlineCode(source.version)} (${commit})`;
}

/** Returns the first 12 digits of a commit or of a digest, or any other text as it is. */
function shortId({ pinned }: LockedVersion): string {
  const [digits = pinned] = /^(?:\w+:)?[0-9a-f]{12}/.exec(pinned) ?? [];
  return digits;
}

/** Returns a warning for each version that has other content than before. */
export function replacedSourceProblems(sources: readonly ChangedSource[] = []): readonly Problem[] {
  return sources.filter(isReplaced).map((source) => {
    const { type, name, before, after, where } = source;
    return {
      code: "version-replaced",
      where: [where],
      what: `${typeLabels[type]} ${name} at "${after?.version}" has other content than before`,
      why: `Published versions aren't expected to change, but the ${pinnedLabel(type)} differs`,
      facts: [
        { label: "before", value: before?.pinned ?? "" },
        { label: "now", value: after?.pinned ?? "" },
      ],
      fix: "Find out who replaced it and why, and compare both contents",
    };
  });
}

/** Names the versions that have other content than before, such as `redis 18.1.0`. */
export function replacedSourceNames(sources: readonly ChangedSource[] = []): readonly string[] {
  return sources.filter(isReplaced).map(({ name, after }) => `${name} ${after?.version}`);
}

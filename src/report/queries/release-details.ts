import type { PassedCheck } from "../../model/deployments/deployment-checks.ts";
import type { ReleaseSummary } from "../../model/deployments/deployment-state.ts";
import type { InputConfig, ObjectResult, Release } from "../../model/deployments/release.ts";
import type { JsonObject } from "../../model/json.ts";
import { nameFromKey } from "../../model/object.ts";
import type { Compilation } from "../../model/sources/compilation.ts";
import { redact } from "../../redaction/redact.ts";
import { createScrubber } from "../../redaction/scrub.ts";
import { isSensitiveValue } from "../../redaction/sensitive-values.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import {
  diffCompilations,
  type ManifestDiff,
  manifestTextDiff,
  resourceTitle,
} from "../diff/manifest-diff.ts";
import { renderManifests } from "../diff/render-manifests.ts";
import { diffTextLines } from "../diff/text-diff.ts";
import { diffLines } from "../plans/plan-text.ts";
import { newName } from "../rows/row.ts";
import { plural } from "../text/counts.ts";
import { type Looks, line, showLines, type TextLine } from "../text/text-lines.ts";
import { layoutJson } from "../trace/render-layout.ts";
import { type AnswerRow, renderColumns } from "./columns.ts";
import { rolloutRows, runsText, statusText } from "./releases.ts";

/** Returns the manifests of a release as YAML documents, with all Secret values hidden. */
export function releaseManifests(compilation: Compilation): string {
  return renderManifests(redacted(compilation));
}

/** Returns the manifests as JSON, by stage and resource. */
export function manifestsJson(compilation: Compilation): readonly JsonObject[] {
  return redacted(compilation).resources.flatMap((resource) =>
    resource.type === "manifest"
      ? [{ resource: `${resource.stage}/${resource.id}`, manifest: resource.object }]
      : [],
  );
}

function redacted(compilation: Compilation): Compilation {
  const { hides, resources } = compilation;
  return {
    ...compilation,
    resources: resources.map((resource) =>
      resource.type === "manifest"
        ? { ...resource, object: redact(resource.object, { hides }) as JsonObject }
        : resource,
    ),
  };
}

/** Returns the tree config → adapter → composite → resources. Of params, it has only the names. */
export function releaseLayout({ layout }: Compilation): JsonObject {
  return layoutJson(layout) as JsonObject;
}

/**
 * Returns the input of the compilation: config, params and the commits of its modules.
 * It hides secret params and all params from the command line.
 */
export function inputJson(
  { config, params, modules, inline = [], secret = [] }: InputConfig,
  hides: readonly string[],
): JsonObject {
  const shown = Object.entries(params).map(([name, value]) => [
    name,
    inline.includes(name) || secret.includes(name) || isSensitiveValue(name, value)
      ? "(hidden)"
      : redact(value, { hides }),
  ]);
  return {
    config,
    params: Object.fromEntries(shown),
    modules: modules.map(({ name, commit }) => ({ name, commit })),
  };
}

/** Renders the outcome of each object, in the order of the plan, then the checks that passed. */
export function renderResults(
  { results, passedChecks = [], rollouts = [] }: ReleaseResults,
  texts: readonly string[],
  looks: Looks,
): TerminalText {
  if (results.length === 0)
    return terminal`No run recorded results for the objects of this release.\n`;
  const { hide } = createScrubber(texts);
  const rows = results.map(({ key, outcome, detail }): AnswerRow => {
    const tone = outcome === "failed" ? "removed" : outcome === "unchanged" ? "quiet" : undefined;
    return {
      cells: [{ text: outcome, tone }, { text: nameFromKey(key) }, { text: hide(detail) }],
    };
  });
  const checkRows = passedChecks.map((passed): AnswerRow => {
    const cells = [passed.type, passed.at, plural(passed.attempts, attemptNoun(passed))];
    const evidence = passed.evidence.map(({ label, value }) => `${label} ${hide(value)}`);
    return {
      cells: [
        { text: "passed" },
        { text: `Check ${passed.name}` },
        { text: [...cells, ...evidence].join(", ") },
      ],
    };
  });
  const all = [...rows, ...rolloutRows(rollouts), ...checkRows];
  return terminal`${renderColumns([], all, looks)}\n`;
}

type ReleaseResults = Pick<Release, "results" | "passedChecks" | "rollouts">;

function attemptNoun({ type }: PassedCheck): string {
  return type === "job" ? "Pod" : "request";
}

export function passedChecksJson(
  { passedChecks = [] }: ReleaseResults,
  texts: readonly string[],
): readonly JsonObject[] {
  const { hide } = createScrubber(texts);
  return passedChecks.map(({ name, type, at, attempts, evidence }) => ({
    ...{ name, kind: type, at, attempts },
    evidence: evidence.map(({ label, value }) => ({ label, value: hide(value) })),
  }));
}

export function resultsJson(
  results: readonly ObjectResult[],
  texts: readonly string[],
): readonly JsonObject[] {
  const { hide } = createScrubber(texts);
  return results.map(({ key, outcome, detail }) => ({
    object: key,
    outcome,
    detail: hide(detail),
  }));
}

/** Renders the differences between the manifests of two releases in the format of a preview. */
export function renderReleaseDiff(
  from: ReleaseContent,
  to: ReleaseContent,
  looks: Looks = {},
): TerminalText {
  const diffs = diffCompilations(from.compilation, to.compilation);
  const title = `Release ${from.revision} → ${to.revision}`;
  const total =
    diffs.length === 0
      ? `${title}: both declare the same ${plural(to.compilation.resources.length, "object")}`
      : `${title}: ${diffCounts(diffs)}`;
  const lines = [...diffs.flatMap(diffBlock), line(exactLine(total), "strong")];
  return terminal`${showLines(lines, looks)}\n`;
}

/** A release with its compilation. */
export interface ReleaseContent {
  readonly revision: number;
  readonly compilation: Compilation;
}

function diffBlock(diff: ManifestDiff): readonly TextLine[] {
  return [diffTitle(diff), ...diffLines(manifestTextDiff(diff))];
}

function diffTitle(diff: ManifestDiff): TextLine {
  const title = exactLine(resourceTitle(diff.resource));
  switch (diff.type) {
    case "added":
      return line(terminal`+ added   ${title}`, "added");
    case "removed":
      return line(terminal`- removed ${title}`, "removed");
    case "changed":
      return line(terminal`~ changed ${title}`, "changed");
    case "renamed":
      return line(terminal`~ renamed ${exactLine(renamedText(diff))}`, "changed");
  }
}

function renamedText({ before, resource }: RenamedResource): string {
  const name = resourceTitle(before);
  return `${name} → ${newName(name, resourceTitle(resource))}`;
}

type RenamedResource = Pick<
  Extract<ManifestDiff, { readonly before: unknown }>,
  "before" | "resource"
>;

function diffCounts(diffs: readonly ManifestDiff[]): string {
  const counts = (["added", "changed", "renamed", "removed"] as const).flatMap((type) => {
    const number = diffs.filter((diff) => diff.type === type).length;
    return number === 0 ? [] : [`${number} ${type}`];
  });
  return counts.join(", ");
}

/** Returns the differences as JSON, with the same diff lines as the text. */
export function releaseDiffJson(from: ReleaseContent, to: ReleaseContent): JsonObject {
  const diffs = diffCompilations(from.compilation, to.compilation);
  return {
    from: from.revision,
    to: to.revision,
    changes: diffs.map((diff) => ({
      type: diff.type,
      resource: `${diff.resource.stage}/${diff.resource.id}`,
      object: resourceTitle(diff.resource),
      before: "before" in diff ? resourceTitle(diff.before) : null,
      diff: diffTextLines(manifestTextDiff(diff)),
    })),
  };
}

/** Returns the rows that `releases show` prints by default. */
function detailRows(release: ReleaseSummary): readonly (readonly [string, string])[] {
  const { revision, status, isRunning, startedAt, finishedAt, rollbackOf } = release;
  const known: readonly (readonly [string, string | undefined])[] = [
    ["Release", `${revision}${isRunning ? " (current)" : ""}`],
    ["Status", statusText(status)],
    ["Started", startedAt],
    ["Finished", finishedAt],
    ["Rollback of", rollbackOf === undefined ? undefined : `release ${rollbackOf}`],
    ["Only stage", release.onlyStage],
    ["Commit", commitText(release)],
    ["Actor", release.actor],
    ["Run", release.run],
    ["Freeze", release.overrodeFreeze && `${release.overrodeFreeze} (overridden)`],
    [
      "Runs since",
      release.lastSeen && `${runsText(release.lastSeen)}, the last ${release.lastSeen.at}`,
    ],
    ["Objects", `${release.declared} declared`],
  ];
  return known.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
}

function commitText({ commit, uncommitted }: ReleaseSummary): string | undefined {
  return commit === undefined || !uncommitted ? commit : `${commit}, with uncommitted changes`;
}

export function renderDetails(
  release: ReleaseSummary,
  results: TerminalText,
  looks: Looks,
): TerminalText {
  const rows = detailRows(release).map(
    ([name, text]): AnswerRow => ({ cells: [{ text: name, tone: "quiet" }, { text }] }),
  );
  return terminal`${renderColumns([], rows, looks)}\n\n${results}`;
}

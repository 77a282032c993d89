import type { ReleaseSummary } from "../../model/deployments/deployment-state.ts";
import type { ObjectResult, Release, UnchangedRun } from "../../model/deployments/release.ts";
import type { JsonObject } from "../../model/json.ts";
import { nameFromKey } from "../../model/object.ts";
import type { RecordedRollout } from "../../model/plan/predictions.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import { forecastText, observedText } from "../rows/forecasts.ts";
import { plural } from "../text/counts.ts";
import type { Looks, Tone } from "../text/text-lines.ts";
import { type AnswerCell, type AnswerRow, renderColumns } from "./columns.ts";

/** The deployment of the releases, and the current time in ISO 8601. */
interface ReleasesHeading {
  readonly deployment: string;
  readonly namespace: string;
  readonly now: string;
  /** The title that replaces the number of releases and the current release. */
  readonly title?: string;
}

const mostNames = 3;

/** Renders the history of a deployment, newest first: time, changes, origin and actor. */
export function renderReleases(
  releases: readonly ReleaseSummary[],
  of: ReleasesHeading,
  looks: Looks = {},
): TerminalText {
  const rows = releases.map((release) => releaseRow(release, of));
  const running = releases.find(({ isRunning }) => isRunning);
  const runs = running === undefined ? "none succeeded" : `release ${running.revision} is current`;
  const summary = of.title ?? `${plural(releases.length, "release")}, ${runs}`;
  const title = `${of.deployment} in namespace ${of.namespace}: ${summary}`;
  const head: AnswerRow = { cells: [{ text: title, tone: "strong" }] };
  const top = renderColumns([], [head], looks);
  return terminal`${top}\n${renderColumns([], rows, looks)}\n`;
}

function releaseRow(release: ReleaseSummary, of: ReleasesHeading): AnswerRow {
  const { revision, status, isRunning, startedAt } = release;
  const { mark, tone } = releaseStyle(release);
  return {
    cells: [
      { text: `${mark} ${revision}`, tone },
      { text: isRunning ? "current" : statusText(status), tone },
      { text: formatAge(startedAt, of.now) ?? startedAt },
      { text: describePurpose(release) },
    ],
    details: releaseDetails(release, of),
  };
}

/** Returns the recorded status as text. */
export function statusText(status: ReleaseSummary["status"]): string {
  switch (status) {
    case "cancelled":
      return "canceled";
    case "under way":
      return "in progress";
    default:
      return status;
  }
}

/** Returns a mark and a color. Each is enough to understand the state. */
function releaseStyle({ status, isRunning }: ReleaseSummary): {
  readonly mark: string;
  readonly tone: Tone | undefined;
} {
  if (isRunning) return { mark: "●", tone: "added" };
  switch (status) {
    case "succeeded":
      return { mark: "○", tone: undefined };
    case "failed":
      return { mark: "✖", tone: "removed" };
    case "cancelled":
    case "superseded":
    case "under way":
    case "never ended":
      return { mark: "…", tone: "changed" };
  }
}

function describePurpose({ rollbackOf, onlyStage, overrodeFreeze }: ReleaseSummary): string {
  return [
    ...(rollbackOf === undefined ? [] : [`rollback to release ${rollbackOf}`]),
    ...(onlyStage === undefined ? [] : [`only ${onlyStage}`]),
    ...(overrodeFreeze === undefined ? [] : [`overrode freeze ${overrodeFreeze}`]),
  ].join(", ");
}

function releaseDetails(release: ReleaseSummary, of: ReleasesHeading): readonly AnswerCell[] {
  const origin = originText(release);
  const seen = release.lastSeen;
  return [
    { text: changesText(release, of.namespace) },
    ...(origin === "" ? [] : [{ text: origin }]),
    ...(seen === undefined ? [] : [{ text: seenText(seen, of.now) }]),
  ];
}

/**
 * Returns text such as `2 created, 1 deleted: ConfigMap settings-b, ConfigMap more, ConfigMap
 * settings-a`.
 */
function changesText(
  { changed, unchanged, declared, status }: ReleaseSummary,
  namespace: string,
): string {
  if (changed.length === 0) {
    const known = status === "succeeded" || unchanged > 0 ? "no object changed" : "changes unknown";
    return `${known}; declares ${plural(declared, "object")}`;
  }
  const counts = outcomes.flatMap((outcome) => {
    const number = changed.filter((result) => result.outcome === outcome).length;
    return number === 0 ? [] : [`${number} ${outcome}`];
  });
  const sorted = changed.toSorted((a, b) => interest(b) - interest(a));
  const names = sorted.map(({ key }) => shortName(key, namespace));
  return `${counts.join(", ")}: ${summarizeList(names, mostNames)}`;
}

/** Ranks failed objects first, and objects that qvs didn't touch last. */
function interest({ outcome }: ObjectResult): number {
  if (outcome === "failed") return 2;
  return outcome === "kept" || outcome === "not attempted" ? 0 : 1;
}

const outcomes = [
  ...(["failed", "created", "updated", "replaced", "deleted", "kept", "not attempted"] as const),
] satisfies readonly ObjectResult["outcome"][];

/** Returns the name without the namespace of the deployment, in which most of its objects are. */
export function shortName(key: string, namespace: string): string {
  return nameFromKey(key).replace(` ${namespace}/`, " ");
}

/** Returns text such as `1a2b3c4d5e6f, with uncommitted changes, by alice, https://…`. */
function originText({ commit, uncommitted, actor, run }: Partial<ReleaseSummary>): string {
  return [
    ...(commit === undefined ? [] : [commit.slice(0, 12)]),
    ...(uncommitted === true ? ["with uncommitted changes"] : []),
    ...(actor === undefined ? [] : [`by ${actor}`]),
    ...(run === undefined ? [] : [run]),
  ].join(", ");
}

/**
 * Returns text such as `12 runs without changes since, the last 2 hours ago: 1a2b3c4d5e6f, by
 * alice`.
 */
function seenText(seen: UnchangedRun, now: string): string {
  const { at, commit, actor, run, uncommitted } = seen;
  const origin = originText({ commit, actor, run, uncommitted: uncommitted === true });
  const runs = runsText(seen);
  const last = seen.runs === 1 ? "" : " the last";
  return `${runs} since,${last} ${formatAge(at, now) ?? at}${origin === "" ? "" : `: ${origin}`}`;
}

/** Returns text such as `1 run without changes` or `at least 3 runs without changes`. */
export function runsText({ runs, orMore }: UnchangedRun): string {
  if (runs === undefined) return "runs without changes";
  return `${orMore === true ? "at least " : ""}${plural(runs, "run")} without changes`;
}

/** Returns a release as JSON. null stands for an unknown value. */
export function releaseJson(release: ReleaseSummary): JsonObject {
  const { revision, status, isRunning, startedAt, finishedAt, changed, unchanged } = release;
  const { lastSeen: seen } = release;
  return {
    ...{ revision, status, isRunning, startedAt, unchanged },
    finishedAt: finishedAt ?? null,
    rollbackOf: release.rollbackOf ?? null,
    onlyStage: release.onlyStage ?? null,
    overrodeFreeze: release.overrodeFreeze ?? null,
    ...originJson(release),
    declared: release.declared,
    changed: changed.map(({ key, outcome }) => ({ object: key, outcome })),
    lastSeen: seen === undefined ? null : { at: seen.at, ...originJson(seen) },
    runsWithoutChanges: runsJson(seen),
  };
}

/**
 * Returns the number of runs. `count` is null if they weren't counted. `orMore` marks a minimum.
 */
function runsJson(seen: UnchangedRun | undefined): JsonObject {
  if (seen === undefined) return { count: 0, orMore: false };
  return { count: seen.runs ?? null, orMore: seen.runs === undefined || seen.orMore === true };
}

function originJson({
  commit,
  uncommitted,
  actor,
  run,
}: Partial<ReleaseSummary> | UnchangedRun): JsonObject {
  return {
    commit: commit ?? null,
    uncommitted: uncommitted === true,
    actor: actor ?? null,
    run: run ?? null,
  };
}

/** Returns the rollouts with their forecast, the observed values, and the difference. */
export function rolloutRows(rollouts: readonly RecordedRollout[]): readonly AnswerRow[] {
  return rollouts.map((each) => {
    const { key, observed } = each;
    const seen = observed === undefined ? "not completed" : observedText(observed, each);
    return {
      cells: [
        { text: "rollout" },
        { text: nameFromKey(key) },
        { text: `forecast ${forecastText(each)}; observed ${seen}${errorText(each)}` },
      ],
    };
  });
}

function errorText(rollout: RecordedRollout): string {
  const error = forecastError(rollout);
  if (error === undefined) return "";
  const parts = [
    ...(error.leastReady === 0 ? [] : [`${signed(error.leastReady)} ready`]),
    ...(error.seconds === undefined ? [] : [`${signed(error.seconds)} s`]),
  ];
  return parts.length === 0 ? "; as predicted" : `; difference ${parts.join(", ")}`;
}

function signed(number: number): string {
  return number < 0 ? `−${-number}` : `+${number}`;
}

/** Returns the observed minus the predicted values; undefined without an observation. */
function forecastError({ leastReady, seconds, observed }: RecordedRollout) {
  if (observed === undefined) return undefined;
  const late = seconds === undefined ? undefined : Math.round(observed.seconds - seconds);
  return {
    leastReady: observed.leastReady - leastReady,
    ...(late === undefined ? {} : { seconds: late }),
  };
}

/** Returns the rollouts as JSON, each with its difference. */
export function rolloutsJson({ rollouts = [] }: Pick<Release, "rollouts">): readonly JsonObject[] {
  return rollouts.map((rollout) => {
    const { key, replicas, leastReady, morePods, waves, seconds, observed } = rollout;
    const error = forecastError(rollout);
    return {
      object: key,
      replicas,
      forecast: { leastReady, morePods, waves, seconds: seconds ?? null },
      observed:
        observed === undefined
          ? null
          : {
              leastReady: observed.leastReady,
              morePods: observed.morePods ?? null,
              seconds: observed.seconds,
            },
      error:
        error === undefined
          ? null
          : { leastReady: error.leastReady, seconds: error.seconds ?? null },
    };
  });
}

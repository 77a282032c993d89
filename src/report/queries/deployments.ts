import {
  type DeployedObject,
  type DeploymentState,
  isHealthyDeployment,
  type LockState,
} from "../../model/deployments/deployment-state.ts";
import type { Drift } from "../../model/deployments/drift.ts";
import type { JsonObject } from "../../model/json.ts";
import { problemDetails } from "../../model/problems/problem-text.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { driftSentence } from "../drift/drift-text.ts";
import { plural } from "../text/counts.ts";
import type { Looks } from "../text/text-lines.ts";
import { type AnswerCell, type AnswerRow, renderColumns } from "./columns.ts";
import { releaseJson, shortName, statusText } from "./releases.ts";

/** The maximum number of unhealthy objects that are shown for one deployment. */
const maxUnhealthy = 5;

/** Renders one row for each deployment, with its irregularities below. */
export function renderDeployments(
  deployments: readonly DeploymentState[],
  { now, looks = {} }: { readonly now: string; readonly looks?: Looks },
): TerminalText {
  const rows = deployments.map((each) => deploymentRow(each, now));
  const healthy = deployments.filter(isHealthyDeployment).length;
  const totals = `${plural(deployments.length, "deployment")}, ${healthy} healthy`;
  const titles = ["NAMESPACE", "NAME", "RELEASE", "CHANGED", "STATE", "COMMIT"];
  return terminal`${renderColumns(titles, rows, looks)}\n${exactLine(totals)}\n`;
}

function deploymentRow(state: DeploymentState, now: string): AnswerRow {
  const { name, namespace, releases } = state;
  const running = releases.find(({ isRunning }) => isRunning);
  const isHealthy = isHealthyDeployment(state);
  const seen = running?.lastSeen ?? running;
  return {
    cells: [
      { text: namespace },
      { text: name },
      { text: running === undefined ? "none" : `${running.revision}` },
      {
        text: running === undefined ? "" : (formatAge(running.startedAt, now) ?? running.startedAt),
      },
      { text: stateText(state), tone: isHealthy ? "added" : "removed" },
      { text: `${(seen?.commit ?? "").slice(0, 12)}${seen?.uncommitted === true ? "+" : ""}` },
    ],
    details: [
      ...newerReleases(state, now),
      ...lockLine(state.lock, now),
      ...describeTroubles(state),
      ...driftLine(state),
    ],
  };
}

/** Returns `healthy`, or text such as `2 of 7 not healthy, drifted`. */
export function stateText(state: DeploymentState): string {
  const { instances, problems, releases } = state;
  if (problems.length > 0) return "unreadable";
  if (!releases.some(({ isRunning }) => isRunning)) return "never succeeded";
  const unhealthy = instances.filter(({ isHealthy }) => !isHealthy).length;
  const health = unhealthy === 0 ? "healthy" : `${unhealthy} of ${instances.length} not healthy`;
  return state.drift?.status === "drifted" ? `${health}, drifted` : health;
}

/** Describes the drift from the current release. `qvs drift` shows each field. */
function driftLine({ drift }: DeploymentState): readonly AnswerCell[] {
  if (drift === undefined || drift.status === "clean") return [];
  const why = drift.status === "unknown" ? drift.blockers.slice(0, 1).map(problemDetails) : [];
  const summary = driftSentence(drift).slice(drift.deployment.length + 2);
  return [{ text: [summary, ...why].join(": "), tone: "changed" }];
}

/** Describes newer releases than the current one, which didn't succeed. */
export function newerReleases({ releases }: DeploymentState, now: string): readonly AnswerCell[] {
  return releases
    .filter(({ isRunning, status }) => !isRunning && status !== "succeeded")
    .slice(0, 1)
    .map(({ revision, status, startedAt }) => ({
      text: `release ${revision}: ${statusText(status)}, ${formatAge(startedAt, now) ?? startedAt}`,
      tone: "changed",
    }));
}

export function lockLine(lock: LockState | undefined, now: string): readonly AnswerCell[] {
  if (lock === undefined) return [];
  const since = lock.since?.replace(/\.\d+Z$/, "Z");
  const time = since === undefined ? "" : `, acquired ${formatAge(since, now) ?? since}`;
  const dead = lock.isAlive
    ? ""
    : "; the holder no longer renews the lock, so the next run takes it";
  return [{ text: `locked by ${lock.holder}${time}${dead}`, tone: "changed" }];
}

function describeTroubles({
  instances,
  namespace,
  problems,
}: DeploymentState): readonly AnswerCell[] {
  const unhealthy = instances.filter(({ isHealthy }) => !isHealthy);
  const more = unhealthy.length - maxUnhealthy;
  return [
    ...problems.map((each): AnswerCell => ({ text: problemDetails(each), tone: "removed" })),
    ...unhealthy
      .slice(0, maxUnhealthy)
      .map((each): AnswerCell => ({ text: troubleText(each, namespace), tone: "removed" })),
    ...(more > 0 ? [{ text: `and ${plural(more, "more object")}`.replace(/ss$/, "s") }] : []),
  ];
}

/** Returns text such as `Deployment web: 1/2 ready` or `ConfigMap settings: missing`. */
function troubleText({ key, state, why }: DeployedObject, namespace: string): string {
  const detail = state === "waiting" && why !== "" ? why : [state, why].filter(Boolean).join(": ");
  return `${shortName(key, namespace)}: ${detail}`;
}

/** Returns the state of a deployment as JSON. null stands for an unknown value. */
export function deploymentJson(state: DeploymentState): JsonObject {
  const { name, namespace, releases, recorded, instances, lock, problems } = state;
  const running = releases.find(({ isRunning }) => isRunning);
  return {
    ...{ name, namespace },
    isHealthy: isHealthyDeployment(state),
    release: running === undefined ? null : releaseJson(running),
    newest: releases[0] === undefined ? null : releaseJson(releases[0]),
    releases: recorded,
    objects: instances.length,
    unhealthy: instances
      .filter(({ isHealthy }) => !isHealthy)
      .map(({ key, state, why }) => ({ object: key, state, why })),
    lock:
      lock === undefined
        ? null
        : { holder: lock.holder, since: lock.since ?? null, isAlive: lock.isAlive },
    drift: state.drift === undefined ? null : driftSummary(state.drift),
    problems: problems.map(({ code, what, fix }) => ({ code, what, fix })),
  };
}

function driftSummary({ status, objects }: Drift): JsonObject {
  return { status, objects: objects.map(({ key, kind }) => ({ object: key, kind })) };
}

import {
  type DeployedObject,
  type DeploymentState,
  isHealthyDeployment,
} from "../../model/deployments/deployment-state.ts";
import type { JsonObject } from "../../model/json.ts";
import { problemDetails } from "../../model/problems/problem-text.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { terminal } from "../../redaction/terminal.ts";
import type { Looks, Tone } from "../text/text-lines.ts";
import { type AnswerRow, renderColumns } from "./columns.ts";
import { deploymentJson, lockLine, newerReleases, stateText } from "./deployments.ts";
import { shortName } from "./releases.ts";

/** Renders the current state of one deployment, object by object in deploy order. */
export function renderStatus(
  state: DeploymentState,
  { now, looks = {} }: { readonly now: string; readonly looks?: Looks },
): TerminalText {
  const rows = state.instances.map((each) => instanceRow(each, state.namespace));
  const head = renderColumns([], [statusHead(state, now)], looks);
  return rows.length === 0
    ? terminal`${head}\n`
    : terminal`${head}\n${renderColumns([], rows, looks)}\n`;
}

function statusHead(state: DeploymentState, now: string): AnswerRow {
  const { name, namespace, releases, lock, problems } = state;
  const running = releases.find(({ isRunning }) => isRunning);
  const runs =
    running === undefined
      ? []
      : [
          `release ${running.revision}, deployed ${formatAge(running.startedAt, now) ?? running.startedAt}`,
        ];
  const words = `${name} in namespace ${namespace}: ${[...runs, stateText(state)].join(", ")}`;
  return {
    cells: [{ text: words, tone: isHealthyDeployment(state) ? "added" : "removed" }],
    details: [
      ...newerReleases(state, now),
      ...lockLine(lock, now),
      ...problems.map((each) => ({ text: problemDetails(each), tone: "removed" as const })),
    ],
  };
}

function instanceRow(instance: DeployedObject, namespace: string): AnswerRow {
  const { key, state, why, isHealthy } = instance;
  const { mark, tone } = marks[state];
  const undeclared = undeclaredText(instance);
  const isTold = !isHealthy || state === "suspended";
  return {
    cells: [
      { text: `${mark} ${state}`, tone: isHealthy && tone === "removed" ? "quiet" : tone },
      { text: shortName(key, namespace) },
    ],
    details: [undeclared, why]
      .filter((each) => each !== "")
      .map((each) => ({ text: each, tone: isTold ? tone : "quiet" })),
  };
}

function undeclaredText({ release, keepOnDelete, state, why }: DeployedObject): string {
  if (release !== undefined) return "";
  if (state === "missing")
    return why === "" ? "deleted and no longer declared" : "no longer declared";
  return keepOnDelete === undefined
    ? "not declared by the current release"
    : `kept under the key ${keepOnDelete}`;
}

/** The marks of the states, the same as during a deployment. */
const marks: Readonly<
  Record<DeployedObject["state"], { readonly mark: string; readonly tone: Tone }>
> = {
  ready: { mark: "✔", tone: "added" },
  suspended: { mark: "•", tone: "quiet" },
  waiting: { mark: "…", tone: "changed" },
  failed: { mark: "✖", tone: "removed" },
  missing: { mark: "✖", tone: "removed" },
  unknown: { mark: "?", tone: "changed" },
};

/** Returns the state of a deployment and its objects as JSON. */
export function statusJson(state: DeploymentState): JsonObject {
  return {
    ...deploymentJson(state),
    isHealthy: isHealthyDeployment(state),
    instances: state.instances.map(({ key, state, why, stage, release, isHealthy }) => ({
      ...{ object: key, state, why, stage, isHealthy },
      release: release ?? null,
    })),
  };
}

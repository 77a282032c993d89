import {
  type AttemptOutcome,
  type OrderedRun,
  runInOrder,
  type Standing,
} from "../../commands/several/run-in-order.ts";
import type { SelectedDeployments } from "../../commands/several/select-deployments.ts";
import { deploymentLevels } from "../../config/deployment-levels.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { OpenWorld, World } from "../../ports/world.ts";
import { terminal } from "../../redaction/terminal.ts";
import { problemJson } from "../../report/report-json.ts";
import { type DeploymentRow, renderSeveralSummary } from "../../report/several-summary.ts";
import { outputLooks, printJsonLine } from "../output/print.ts";
import { exitCode, reportFailure, reportProblems } from "../output/report-failure.ts";
import { printProblem } from "../output/show-problem.ts";
import { type Shell, unlessInterrupted } from "../program/shell.ts";
import { createSections, type Section } from "./section.ts";

/** The end of the work for one deployment, which has printed its result. */
export interface DeploymentEnd extends Omit<DeploymentRow, "deployment" | "milliseconds"> {
  /** The exit code of a run of this deployment alone. */
  readonly code: number;
  readonly standing: Standing;
  /** The result in format json. */
  readonly json?: JsonObject;
}

export interface SeveralWork {
  /** The effect of the dependencies; see `runInOrder`. */
  readonly dependencies: OrderedRun<unknown>["dependencies"];
  readonly parallel: number | undefined;
  readonly quiet: boolean;
  /** The output on stdout: sections, a line of JSON per deployment, or only that of the caller. */
  readonly prints: "text" | "json" | "other";
  /** Does the work of a run of this deployment alone. It prints to the shell, which collects it. */
  readonly runOne: (world: World, deployment: Deployment, shell: Shell) => Promise<DeploymentEnd>;
}

/** The ends of all deployments, and the exit code of the run. */
export interface SeveralEnd {
  readonly code: number;
  readonly ends: readonly AttemptOutcome<DeploymentEnd>[];
}

/**
 * The time in milliseconds after which an interrupted deployment without changes ends. It is
 * shorter than that of the whole command, so that the summary follows.
 */
const graceMs = 500;

/**
 * Runs the work for each selected deployment, in parallel and after its dependencies, and prints a
 * summary of all of them. Each deployment prints one section when it has ended.
 */
export async function runSeveral(
  world: OpenWorld,
  shell: Shell,
  { chosen, all }: SelectedDeployments,
  work: SeveralWork,
): Promise<SeveralEnd> {
  const { dependencies, parallel, quiet, prints, runOne } = work;
  const parallelWorld = world.forParallelRuns();
  const times = new Map<string, number>();
  const openSection = createSections(shell);
  const sections = new Map(chosen.map(({ name }) => [name, openSection(name)]));
  const sectionOf = ({ name }: Deployment) => sections.get(name) as Section;
  const print = (end: AttemptOutcome<DeploymentEnd>) => {
    sectionOf(end.deployment).print();
    if (prints === "json") printJsonLine(shell.stdout, endJson(end));
  };
  // The order of deployments that only read is always the same, so that outputs can be compared.
  const printEnded =
    dependencies === "required" ? print : inOrder(deploymentLevels(chosen, all).flat(), print);
  const timedRun = async (deployment: Deployment) => {
    const began = world.clock.elapsed();
    const running = runOne(parallelWorld, deployment, sectionOf(deployment).shell);
    try {
      return await unlessInterrupted(running, world.signal, world.hasWritten, graceMs);
    } finally {
      times.set(deployment.name, world.clock.elapsed() - began);
    }
  };
  const ends = await runInOrder(chosen, {
    ...{ all, dependencies, parallel, state: world, runOne: timedRun },
    standing: ({ standing }) => standing,
    onEnd: (end) => {
      reportError(end, sectionOf(end.deployment).shell);
      printEnded(end);
    },
  });
  printSummary(ends, { times, quiet, prints }, shell);
  return { code: worstExitCode(ends.map(codeOf)), ends };
}

/** Returns a function that prints an ended deployment after all deployments before it. */
function inOrder<T>(
  order: readonly Deployment[],
  print: (end: AttemptOutcome<T>) => void,
): (end: AttemptOutcome<T>) => void {
  const ended = new Map<Deployment, AttemptOutcome<T>>();
  let printed = 0;
  return (end) => {
    ended.set(end.deployment, end);
    for (let next = ended.get(order[printed] as Deployment); next !== undefined; ) {
      print(next);
      printed += 1;
      next = ended.get(order[printed] as Deployment);
    }
  };
}

/**
 * Prints the errors of a deployment. If the work has ended, it has printed them itself. If it never
 * started, the summary contains the reason.
 */
function reportError(end: AttemptOutcome<DeploymentEnd>, { stderr }: Shell): void {
  switch (end.type) {
    case "done":
      return;
    case "left":
      printProblem(stderr, end.why, "note");
      return;
    case "broken":
      reportFailure(end.error, stderr);
      return;
    case "refused":
      if (!isUnstarted(end)) reportProblems(end.problems, stderr);
  }
}

function isUnstarted({ problems, hasChanged }: RefusedEnd): boolean {
  const unstarted: readonly string[] = ["run-canceled", "dependency-failed"];
  return hasChanged !== true && problems.every(({ code }) => unstarted.includes(code));
}

function codeOf(end: AttemptOutcome<DeploymentEnd>): number {
  switch (end.type) {
    case "done":
      return end.outcome.code;
    case "left":
      return exitCode.superseded;
    case "broken":
      return exitCode.bug;
    case "refused":
      return isCanceled(end) ? exitCode.interrupted : exitCode.user;
  }
}

type RefusedEnd = Extract<AttemptOutcome<DeploymentEnd>, { readonly type: "refused" }>;

/** Reports whether a cancellation kept the work from starting or ended it. */
export function isCanceled({ problems }: Pick<RefusedEnd, "problems">): boolean {
  return problems.some(({ code }) => code === "run-canceled");
}

/**
 * Returns the JSON of a run of this deployment alone, with its name. A deployment without a result
 * has its problems instead.
 */
function endJson(end: AttemptOutcome<DeploymentEnd>): JsonObject {
  const deployment = end.deployment.name;
  if (end.type === "done") return { ...end.outcome.json, deployment };
  return { deployment, problems: problemsOf(end).map(problemJson) };
}

function problemsOf(
  end: Exclude<AttemptOutcome<DeploymentEnd>, { readonly type: "done" }>,
): readonly Problem[] {
  if (end.type === "refused") return end.problems;
  if (end.type === "left") return [end.why];
  return [];
}

interface SummaryOptions extends Pick<SeveralWork, "quiet" | "prints"> {
  readonly times: ReadonlyMap<string, number>;
}

/** Prints the summary to stdout after sections. Other formats fill stdout, so it goes to stderr. */
function printSummary(
  ends: readonly AttemptOutcome<DeploymentEnd>[],
  { times, quiet, prints }: SummaryOptions,
  { stdout, stderr }: Shell,
): void {
  if (prints !== "text" && quiet) return;
  const to = prints === "text" ? stdout : stderr;
  const rows = ends.map((end) => ({
    ...describeEnd(end),
    deployment: end.deployment.name,
    milliseconds: times.get(end.deployment.name),
  }));
  if (prints === "text") to.write(terminal`\n`);
  to.write(renderSeveralSummary(rows, outputLooks(to)));
}

function describeEnd(
  end: AttemptOutcome<DeploymentEnd>,
): Omit<DeploymentRow, "deployment" | "milliseconds"> {
  switch (end.type) {
    case "done":
      return end.outcome;
    case "left":
      return { group: "superseded", outcome: "superseded", changes: "", tone: "quiet" };
    case "broken":
      return { group: "failed", outcome: "bug in qvs", changes: "", tone: "removed" };
    case "refused":
      return describeRefusal(end);
  }
}

function describeRefusal(end: RefusedEnd): Omit<DeploymentRow, "deployment" | "milliseconds"> {
  const { problems, hasChanged = false } = end;
  const [first] = problems;
  if (isCanceled(end)) {
    const group = hasChanged ? "canceled" : "not done";
    const outcome = hasChanged
      ? "canceled after the first change"
      : "not done, nothing was changed";
    return { group, outcome, changes: "", tone: "changed" };
  }
  if (first?.code === "dependency-failed")
    return { group: "skipped", outcome: skippedText(first), changes: "", tone: "changed" };
  const code = first === undefined ? "" : `: ${first.code}`;
  return { group: "failed", outcome: `failed${code}`, changes: "", tone: "removed" };
}

function skippedText({ why = "" }: Problem): string {
  return `skipped: ${why.charAt(0).toLowerCase()}${why.slice(1)}`;
}

/** The exit codes, the worst one last (docs/reference/cli.md#exit-codes). */
const bySeverity: readonly number[] = [
  ...[exitCode.done, exitCode.changes, exitCode.superseded],
  ...[exitCode.user, exitCode.interrupted, exitCode.bug],
];

/** Returns the exit code of a run of several deployments: the worst of their codes. */
export function worstExitCode(codes: readonly number[]): number {
  return codes.reduce(
    (worst, code) => (bySeverity.indexOf(code) > bySeverity.indexOf(worst) ? code : worst),
    exitCode.done,
  );
}

import type { Json } from "../../src/model/json.ts";
import { addressOf, idOf, type KubeObject, keyOf, uidOf } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { flaw } from "../sweeps/judge.ts";
import type { Restarts } from "../sweeps/restarts.ts";
import type { App, AppRun } from "./app.ts";
import type { Chance } from "./chance.ts";
import { type Disturbance, drawDisturbance, nameOf } from "./disturbances.ts";
import { countCode, countDisturbance, countRun, type Figures } from "./figures.ts";
import {
  type Bystanders,
  flawsOfDeclared,
  flawsOfLost,
  flawsOfPreview,
  flawsOfSettled,
  flawsOfStatus,
  orphansIn,
  type Seen,
  see,
} from "./inspect.ts";
import { badVersion, firstVersion, nextVersion, objectsOf, type Version } from "./versions.ts";

/** The random steps on one application. */
export interface Steps {
  /** Runs a command, judges the result and, after a failure, repairs the state. */
  step(): Promise<void>;
  count(): number;
}

interface StepsOptions {
  readonly app: App;
  /** A client without faults. */
  readonly cluster: Cluster;
  readonly restarts: Restarts;
  readonly bystanders: Bystanders;
  readonly figures: Figures;
  readonly chance: Chance;
  report(line: string): void;
}

interface State extends StepsOptions {
  /** The number of steps so far. */
  count: number;
  /** The version of the last run that succeeded. */
  current: Version;
  /** The version of each revision. */
  readonly versions: Map<number, Version>;
  /** The highest revision so far. */
  revision: number;
  /** The number of requests of the last undisturbed run, by command. */
  readonly requests: Map<string, number>;
}

const patient = ["--timeout", "4m"];
const impatient = ["--timeout", "20s"];

/** Deploys the first version. */
export async function startSteps(options: StepsOptions): Promise<Steps> {
  const state: State = {
    ...options,
    count: 0,
    current: firstVersion,
    versions: new Map(),
    revision: 0,
    requests: new Map(),
  };
  await deployUndisturbed(state, firstVersion);
  return { step: () => step(state), count: () => state.count };
}

async function step(state: State): Promise<void> {
  state.count += 1;
  const { chance } = state;
  const kind = chance.below(100);
  if (kind < 45) return deployGood(state);
  if (kind < 60) return deployBad(state);
  if (kind < 75) return rollBack(state);
  if (kind < 87) return preview(state);
  return drift(state);
}

/** Deploys the next version, perhaps disturbed. */
async function deployGood(state: State): Promise<void> {
  const version = nextVersion(state.current, state.count, state.chance);
  state.app.declare(version);
  const ran = await run(state, "deploy", patient);
  await judgeRun(state, version, ran);
}

/** Deploys a version that can't become ready. */
async function deployBad(state: State): Promise<void> {
  const { chance } = state;
  const version = badVersion(state.current, state.count, chance);
  const returns = chance.happens(50);
  state.app.declare(version);
  const flags = returns ? [...impatient, "--on-failure", "rollback"] : impatient;
  const ran = await run(state, "deploy", flags);
  const seen = await seeAfter(state, version);
  const before = objectsOf(state.current, state.app.namespace);
  addFlaws(state, ran, [
    ...flawsOfInterruption(ran, seen),
    ...flaw(ran.code === 0, `a version with the defect "${version.defect}" was deployed`),
    ...flawsOfLost(seen, before),
    ...state.bystanders.flaws(seen),
    ...(returns && !ran.disturbed ? flawsOfDeclared(seen, before) : []),
  ]);
  await repair(state);
}

/** Restores a random release that succeeded. */
async function rollBack(state: State): Promise<void> {
  const { app, cluster, chance, versions } = state;
  const { releases } = await see(cluster, app.namespace);
  const targets = releases.filter(
    ({ status, revision }, index) => index > 0 && status === "succeeded" && versions.has(revision),
  );
  if (targets.length === 0) return deployGood(state);
  const { revision } = chance.pick(targets);
  const version = versions.get(revision) ?? state.current;
  const ran = await run(state, "rollback", [...patient, "--to", `${revision}`, "--yes"]);
  await judgeRun(state, version, ran);
}

/** Previews the next version, perhaps disturbed, and compares the preview with the cluster. */
async function preview(state: State): Promise<void> {
  const version = nextVersion(state.current, state.count, state.chance);
  state.app.declare(version);
  const before = await see(state.cluster, state.app.namespace);
  const ran = await run(state, "diff", ["--format", "json", "--fail-on", "nothing"]);
  const after = await see(state.cluster, state.app.namespace);
  addFlaws(state, ran, [
    ...(ran.code === 0 ? previewFlaws(state, ran, after, version) : flawsOfFailed(ran)),
    ...flaw(before.objects !== after.objects, "a preview changed objects"),
    ...flaw(before.releases.length !== after.releases.length, "a preview wrote a record"),
  ]);
  state.app.declare(state.current);
}

/** Edits objects of the deployment, and compares the report of drift with the edits. */
async function drift(state: State): Promise<void> {
  const { app, cluster, chance, figures } = state;
  const objects = objectsOf(state.current, app.namespace).filter(({ kind, metadata }) =>
    kind === "ConfigMap" ? !`${metadata.name}`.startsWith("settings-") : false,
  );
  const edited = objects.filter(() => chance.happens(40));
  const expected: string[] = [];
  for (const object of edited) {
    const isDeletion = chance.happens(40);
    await (isDeletion ? remove(cluster, object) : edit(cluster, object));
    expected.push(`${isDeletion ? "missing" : "changed"} ${keyOf(idOf(object))}`);
  }
  const ran = await run(state, "drift", ["--format", "json"]);
  if (ran.code === 0 || ran.code === 2) {
    figures.compared += 1;
    const found = driftIn(ran.stdout);
    addFlaws(
      state,
      ran,
      flaw(
        found.toSorted().join() !== expected.toSorted().join(),
        `drift: expected ${expected.join(", ")}; found ${found.join(", ")}`,
      ),
    );
  } else addFlaws(state, ran, flawsOfFailed(ran));
  const corrected = await run(state, "reconcile", patient, "undisturbed");
  addFlaws(state, corrected, flawsOfFailed(corrected));
  const seen = await see(cluster, app.namespace);
  const declared = objectsOf(state.current, app.namespace);
  addFlaws(state, corrected, flawsOfDeclared(seen, declared));
}

async function edit(cluster: Cluster, object: KubeObject): Promise<void> {
  const data = Object.keys(object["data"] as Record<string, Json>).map((name) => [name, "edited"]);
  const edited = { ...object, data: Object.fromEntries(data) };
  const options = { fieldManager: "another-user", dryRun: false, force: true };
  const answer = await cluster.apply(edited, options);
  if (!answer.ok) throw new Error(answer.failure.message);
}

async function remove(cluster: Cluster, object: KubeObject): Promise<void> {
  const live = await cluster.read(addressOf(object));
  if (!live.ok || live.value === undefined) throw new Error("The object to delete is missing");
  const answer = await cluster.delete(addressOf(object), uidOf(live.value));
  if (!answer.ok) throw new Error(answer.failure.message);
}

interface DriftReport {
  readonly deployments: readonly {
    readonly objects: readonly { readonly drift: string; readonly key: string }[];
  }[];
}

function driftIn(stdout: string): readonly string[] {
  const report: DriftReport = JSON.parse(stdout);
  return report.deployments
    .flatMap(({ objects }) => objects)
    .map((one) => `${one.drift} ${one.key}`);
}

/** Judges a run that should reach a version. If it didn't, another run repairs the state. */
async function judgeRun(state: State, version: Version, ran: AppRun): Promise<void> {
  const seen = await seeAfter(state, version);
  if (ran.code !== 0) {
    addFlaws(state, ran, [...flawsOfFailed(ran), ...flawsOfInterruption(ran, seen)]);
    return repair(state);
  }
  state.current = version;
  judgeSettled(state, ran, seen);
  if (ran.disturbed) await repair(state);
}

function judgeSettled(state: State, ran: AppRun, seen: Seen): void {
  const { bystanders, figures, current, app } = state;
  const declared = objectsOf(current, app.namespace);
  const options = { bystanders: bystanders.labelled, disturbed: ran.disturbed };
  addFlaws(state, ran, [...flawsOfSettled(seen, declared, options), ...bystanders.flaws(seen)]);
  figures.leftForLater += orphansIn(seen, declared, bystanders.labelled).length;
}

/** Reads the state, and records the version of new revisions. */
async function seeAfter(state: State, version: Version): Promise<Seen> {
  const seen = await see(state.cluster, state.app.namespace);
  for (const { revision, rollbackOf } of seen.releases.toReversed()) {
    if (revision <= state.revision) continue;
    const restored = rollbackOf === undefined ? undefined : state.versions.get(rollbackOf);
    state.versions.set(revision, restored ?? version);
  }
  state.revision = Math.max(state.revision, ...seen.releases.map(({ revision }) => revision));
  state.figures.records = Math.max(state.figures.records, seen.releases.length);
  return seen;
}

/**
 * Compares the state that qvs describes with the cluster, and deploys a good version, without a
 * disturbance. The deployment must succeed.
 */
async function repair(state: State): Promise<void> {
  const { app, cluster, chance } = state;
  const version = chance.happens(50)
    ? state.current
    : nextVersion(state.current, state.count + 100_000, chance);
  const before = await see(cluster, app.namespace);
  const status = await run(state, "status", ["--format", "json"], "undisturbed");
  addFlaws(
    state,
    status,
    isJson(status.stdout)
      ? flawsOfStatus(JSON.parse(status.stdout), before)
      : [`status prints no JSON:\n${status.stderr}`],
  );
  app.declare(version);
  const args = ["--format", "json", "--fail-on", "nothing"];
  const diff = await run(state, "diff", args, "undisturbed");
  addFlaws(
    state,
    diff,
    diff.code === 0 ? previewFlaws(state, diff, before, version) : flawsOfFailed(diff),
  );
  await deployUndisturbed(state, version);
  state.figures.repaired += 1;
}

async function deployUndisturbed(state: State, version: Version): Promise<void> {
  state.app.declare(version);
  const ran = await run(state, "deploy", patient, "undisturbed");
  const seen = await seeAfter(state, version);
  if (ran.code !== 0) return addFlaws(state, ran, flawsOfFailed(ran));
  state.current = version;
  judgeSettled(state, ran, seen);
}

function previewFlaws(
  { figures, app }: State,
  ran: AppRun,
  seen: Seen,
  version: Version,
): readonly string[] {
  figures.compared += 1;
  return flawsOfPreview(JSON.parse(ran.stdout), seen, objectsOf(version, app.namespace));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An interrupted run ends by itself: it completes its record and releases the lock. */
function flawsOfInterruption(ran: AppRun, seen: Seen): readonly string[] {
  if (!ran.interrupted) return [];
  return [
    ...flaw(![0, 1, 130].includes(ran.code), `it ended with ${ran.code} after SIGINT`),
    ...flaw(seen.holder !== "", `after SIGINT, the lock is held by ${seen.holder}`),
    ...flaw(seen.releases[0]?.status === "pending", "after SIGINT, its record is pending"),
  ];
}

/** Only a disturbance explains that a run failed. */
function flawsOfFailed(ran: AppRun): readonly string[] {
  return flaw(
    ran.code !== 0 && !ran.disturbed,
    `it ended with ${ran.code}:\n${ran.stderr}\n${ran.stdout}`,
  );
}

/** Runs a command, and counts the run and its disturbance. */
async function run(
  state: State,
  command: string,
  args: readonly string[],
  how?: "undisturbed",
): Promise<AppRun> {
  const { app, chance, figures, requests } = state;
  const usual = requests.get(command) ?? 30;
  const disturbance = how === "undisturbed" ? undefined : drawDisturbance(chance, usual);
  const ran = await app.run(
    [command, ...args],
    disturbance && { disturbance, chance, restart: (...what) => restart(state, ...what) },
  );
  const succeeded = ran.code === 0 || (command === "drift" && ran.code === 2);
  countRun(figures, command, succeeded ? 0 : ran.code);
  if (disturbance === undefined) requests.set(command, ran.requests);
  if (ran.disturbed) countDisturbance(figures, nameOf(disturbance), !succeeded);
  if (!succeeded && ran.code < 128) countCode(figures, ran.stderr);
  state.report(lineOf(state, command, ran, disturbance));
  addFlaws(state, ran, [
    ...flaw(ran.hung, "it didn't end"),
    ...flaw(ran.code === 70, `it is a bug:\n${ran.stderr}`),
    ...flaw(/^\s+at .+:\d+:\d+/m.test(ran.stderr), `it shows a stack:\n${ran.stderr}`),
  ]);
  return ran;
}

async function restart(
  { restarts, figures }: State,
  program: string,
  awayMs: number,
): Promise<void> {
  const interruption = { from: Date.now(), to: Number.POSITIVE_INFINITY };
  figures.interruptions.push(interruption);
  try {
    await restarts.restart("SIGKILL", { program, awayMs });
  } finally {
    interruption.to = Date.now();
  }
}

function lineOf(
  { count }: State,
  command: string,
  ran: AppRun,
  disturbance: Disturbance | undefined,
): string {
  const what = disturbance === undefined ? "" : `, ${nameOf(disturbance)}`;
  const when = disturbance === undefined ? "" : ` at request ${disturbance.request}`;
  const reached = disturbance === undefined || ran.disturbed ? "" : " (not reached)";
  const shown = ran.code === 0 || ran.code > 128 ? "" : `: ${firstError(ran.stderr)}`;
  return `${count}: ${command}${what}${when}${reached}: ${ran.code}, ${ran.requests} requests${shown}`;
}

/** Returns the first error that a run shows, or else the end of its output. */
function firstError(stderr: string): string {
  return (
    /^\s*error\[.*$/m.exec(stderr)?.[0].trim() ?? stderr.trimEnd().split("\n").slice(-3).join(" | ")
  );
}

function addFlaws(state: State, ran: AppRun, found: readonly string[]): void {
  for (const text of found) {
    const flawText = `step ${state.count}${ran.disturbed ? " (disturbed)" : ""}: ${text}`;
    state.figures.flaws.push(flawText);
    state.report(`FLAW: ${flawText}`);
  }
}

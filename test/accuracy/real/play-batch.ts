import { type Json, type JsonObject, sameJson } from "../../../src/model/json.ts";
import { annotation, groupOf, type KubeObject, nameOf } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan.ts";
import { hasSubject } from "../../../src/model/problems/problem.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { QvsResult } from "../../support/qvs/run-qvs.ts";
import { type Accuracy, compareRefused } from "../compare.ts";
import { type ForetoldReport, foretell } from "../foretell.ts";
import { runForetold } from "../run-foretold.ts";
import type { Edit } from "./edits.ts";
import { declaresEmpty, isOnlyEmptied } from "./emptied.ts";
import { type Command, perform } from "./perform.ts";
import { accepted } from "./send.ts";
import type { From } from "./sources.ts";
import { stagesOf } from "./stages.ts";
import { watchAround } from "./watch-around.ts";

/** Changes of real manifests that are made in one deployment. */
export interface Batch {
  readonly what: string;
  readonly from: readonly Taken[];
  /** More of what is there before, in YAML: kinds that no example has. */
  readonly given?: string;
  /** What of that is in another way from the beginning. */
  readonly prior?: readonly Edit[];
  /** What another person does in between, by kubectl. */
  readonly meanwhile?: readonly (readonly string[])[];
  /** The same, drawn for the objects that are there; what the server refuses is not done. */
  readonly disturb?: (objects: readonly KubeObject[]) => readonly Command[];
  /** What has made the objects before; qvs where nothing is said. */
  readonly maker?: readonly string[] | undefined;
  readonly rules?: Rules;
  /** What is done after the changes. */
  readonly afterwards?: readonly (readonly string[])[];
  readonly changes: readonly RealChange[];
}

/** What the namespace demands of what is in it. */
export interface Rules {
  /** Whether they come after the objects. */
  readonly areLate: boolean;
  readonly install: (
    cluster: TestCluster,
    namespace: string,
    onFinished: Setting["onFinished"],
  ) => Promise<void>;
}

/** The annotation of what is declared in the stage `appSetup`. */
export const setUp = "example.com/set-up";

export type RealChange = readonly [what: string, ...edits: readonly Edit[]];

export interface Taken {
  readonly from: From;
  /** `Kind/name` of what is taken of it; all where it is not said. */
  readonly only?: readonly string[];
  /** Whether it comes only with the changes. */
  readonly isNew?: boolean;
  /** Taken in the place of what was there by the same name. */
  readonly named?: (name: string, index: number) => string;
}

interface Setting {
  readonly cluster: TestCluster;
  readonly compiler: Compiler;
  readonly accuracy: Accuracy;
  readonly onFinished: (work: () => void) => void;
  /** Of the deployment that makes the changes. */
  readonly flags?: readonly string[];
  /** Whether other people's objects and second namespaces take part: what goes unsaid is looked for then, and given time to go. */
  readonly isWide?: boolean;
  /** Throws for a deployment that did not end as it should; by default for each that failed. */
  readonly judge?: (result: QvsResult, batch: Batch, how: string, isWarned?: boolean) => void;
}

/**
 * Deploys the manifests as they are, changes them, and holds the preview against the deployment. What the preview says would be refused is
 * left out of that, and sent by kubectl afterwards: then everything else is there, and the server has to refuse it.
 */
export async function playBatch(batch: Batch, setting: Setting): Promise<void> {
  const { cluster, compiler, accuracy, onFinished, judge = mustSucceed } = setting;
  const namespace = await cluster.namespace("real");
  const [before, after] = await stagesOf(batch, namespace);
  const watch = setting.isWide
    ? await watchAround(cluster, namespace, [...before, ...after], accuracy)
    : undefined;
  const shop = await manifestsIn(cluster, namespace, {
    onFinished,
    run: (directory, args, env = {}) =>
      runForetold(directory, args, compiler, env, accuracy, watch),
  });
  declare(shop, before);
  if (batch.rules?.areLate === false) await batch.rules.install(cluster, namespace, onFinished);
  if (!(await make(batch, before, shop, cluster))) return;
  if (batch.rules?.areLate === true) await batch.rules.install(cluster, namespace, onFinished);
  const isRefusable = batch.rules !== undefined || batch.maker !== undefined;
  for (const words of batch.meanwhile ?? [])
    await shop.kubectl(...words).catch((error: unknown) => {
      if (!isRefusable) throw error;
    });
  for (const command of batch.disturb?.(before) ?? []) await perform(command, cluster, namespace);
  declare(shop, after);
  const send = (objects: readonly Change[]) => accepted(cluster, objects);
  const refused: Change[] = [];
  let flags = setting.flags ?? ["--quiet"];
  let isWarned = false;
  for (let round = 0; round < 4; round++) {
    // One refusal may hide the next.
    const found = await refusedObjects(setting, shop, flags);
    if (found === undefined) return mustBeRefused(await shop.qvs("deploy", ...flags), batch);
    isWarned = found.isWarned;
    if (found.refused.length + found.conflicting.length === 0) break;
    await compareRefused(found.conflicting, send, accuracy);
    if (found.conflicting.length > 0) flags = [...flags, "--conflicts=force"];
    refused.push(...found.refused);
    declare(shop, without(after, before, refused));
  }
  const done = await shop.qvs("deploy", ...flags);
  judge(done, batch, "as it is changed", isWarned);
  if (done.code !== 0) return;
  await compareAgain(setting, shop, flags);
  await compareRefused(refused, send, accuracy);
  for (const [command = "", ...args] of batch.afterwards ?? []) {
    const how = `by ${command} afterwards`;
    (setting.judge ?? mustSucceed)(await shop.qvs(command, "--timeout=20s", ...args), batch, how);
  }
}

/** Whether they are there as they were meant to be: rules may have refused them. */
async function make(
  batch: Batch,
  before: readonly KubeObject[],
  shop: Manifests,
  cluster: TestCluster,
): Promise<boolean> {
  if (before.length === 0) return true;
  if (batch.maker !== undefined) {
    const list = { apiVersion: "v1", kind: "List", items: before.map(withoutOwners) };
    const words = ["-n", shop.namespace, ...batch.maker];
    // What is of a kind that comes with it is refused at first.
    for (let round = 0; round < 3; round++) await cluster.kubectlSays(words, JSON.stringify(list));
    return true;
  }
  const done = await shop.qvs(
    "deploy",
    "--quiet",
    ...(batch.rules || batch.prior ? ["--timeout=20s"] : []),
  );
  if (batch.rules === undefined && batch.prior === undefined) mustSucceed(done, batch, "as it is");
  return done.code === 0;
}

/** References to uids are for qvs alone. */
function withoutOwners({ metadata, ...rest }: KubeObject): JsonObject {
  const { ownerReferences: _, ...own } = metadata;
  return { ...rest, metadata: own };
}

/** What was deployed is as it is declared. */
async function compareAgain(
  setting: Setting,
  shop: Manifests,
  flags: readonly string[],
): Promise<void> {
  const report = await reportOf(setting, shop, flags);
  if (report === undefined) throw new Error("There is no preview any more");
  const { plan, blockers, findings = [] } = report;
  const collected = findings.filter(({ code }) => code === "owner-missing");
  const changed = (plan?.changes ?? []).filter(
    (change) =>
      change.action !== "unchanged" &&
      !isOnlyEmptied(change) &&
      !collected.some(({ what }) => what.startsWith(`${nameOf(change.id)} `)),
  );
  const again = changed.map(
    ({ id, action, steps }) => `${nameOf(id)}: ${action} once more by ${JSON.stringify(steps)}`,
  );
  const emptied = (plan?.changes ?? []).filter(({ desired }) => declaresEmpty(desired));
  const refused = blockers.filter(
    (blocker) => !emptied.some(({ id }) => hasSubject(blocker, nameOf(id))),
  );
  setting.accuracy.wrong.push(...again, ...refused.map(({ what }) => `refused now: ${what}`));
}

function declare(shop: Manifests, objects: readonly KubeObject[]): void {
  const isSetUp = (object: KubeObject) => annotation(object, setUp) !== undefined;
  const idsOf = (some: readonly KubeObject[]) =>
    Object.fromEntries(some.map((object): readonly [string, Json] => [idIn(object), object]));
  const appSetup = idsOf(objects.filter(isSetUp));
  const app = idsOf(objects.filter((object) => !isSetUp(object)));
  shop.write("params.json", JSON.stringify({ appSetup, app }));
}

export function idIn({ kind, metadata }: JsonObject & KubeObject): string {
  return `${kind}-${metadata["name"]}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}

function mustSucceed({ code, stdout, stderr }: QvsResult, { what }: Batch, how: string): void {
  if (code !== 0) throw new Error(`${what}, ${how}:\n${stdout}${stderr}`);
}

/** Where there is no preview, as for dependencies in a circle, there is no deployment. */
function mustBeRefused({ code, stdout, stderr }: QvsResult, { what }: Batch): void {
  if (code === 0 || !stderr.includes("Nothing was changed"))
    throw new Error(`${what}, without a preview:\n${stdout}${stderr}`);
}

interface Refused {
  readonly refused: readonly Change[];
  /** They are refused as long as nobody forces them. */
  readonly conflicting: readonly Change[];
  /** Of a webhook or a policy that nobody can ask, or of what the garbage collector deletes at once. */
  readonly isWarned: boolean;
}

async function reportOf(
  { cluster, compiler }: Pick<Setting, "cluster" | "compiler">,
  { directory, namespace }: Manifests,
  flags: readonly string[],
): Promise<ForetoldReport | undefined> {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const args = ["deploy", "-n", namespace, "-p", "params.json", ...flags];
  const predicted = await foretell(directory, args, compiler, env);
  predicted?.close();
  return predicted?.report;
}

/** The changes that the preview says the server refuses, or qvs before it. What qvs refuses by itself stays, and so is refused with all others. */
async function refusedObjects(
  setting: Setting,
  shop: Manifests,
  flags: readonly string[],
): Promise<Refused | undefined> {
  const report = await reportOf(setting, shop, flags);
  if (report === undefined) return undefined;
  const { plan, blockers, findings = [] } = report;
  const blocked = (plan?.changes ?? []).map((change) => ({
    change,
    codes: blockers
      .filter(({ code }) => code !== "dependency-deleted")
      .filter((blocker) => hasSubject(blocker, nameOf(change.id)))
      .map(({ code }) => code),
  }));
  const isOfConflict = (code: string) => code === "field-conflict";
  return {
    isWarned: findings.some(({ code }) => ["pending-admission", "owner-missing"].includes(code)),
    conflicting: blocked
      .filter(({ codes }) => codes.length > 0 && codes.every(isOfConflict))
      .map(({ change }) => change),
    refused: blocked
      .filter(({ codes }) => codes.some((code) => !isOfConflict(code)))
      .map(({ change }) => change),
  };
}

function without(
  after: readonly KubeObject[],
  before: readonly KubeObject[],
  refused: readonly Change[],
): readonly KubeObject[] {
  return after.flatMap((object) => {
    const isRefused = refused.some(({ desired }) => isSame(desired, object));
    if (!isRefused) return [object];
    // What is as it was is refused for what becomes of another object.
    return before.find((each) => isSame(each, object) && !sameJson(each, object)) ?? [];
  });
}

function isSame(one: KubeObject, other: KubeObject): boolean {
  const isOfName = one.metadata["name"] === other.metadata["name"];
  return (
    one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion) && isOfName
  );
}

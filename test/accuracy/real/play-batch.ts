import { type Json, type JsonObject, sameJson } from "../../../src/model/json.ts";
import { annotation, groupOf, type KubeObject, nameOf } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import { hasSubject } from "../../../src/model/problems/problem.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { QvsResult } from "../../support/qvs/run-qvs.ts";
import { type Accuracy, compareRefused } from "../compare.ts";
import { type PredictedReport, predict } from "../predict.ts";
import { runPredicted } from "../run-predicted.ts";
import type { Edit } from "./edits.ts";
import { declaresEmpty, isOnlyEmptied } from "./empty-values.ts";
import { type Command, perform } from "./perform.ts";
import { accepted } from "./send.ts";
import type { From } from "./sources.ts";
import { stagesOf } from "./stages.ts";
import { watchUnplanned } from "./watch-unplanned.ts";

/** Changes of real manifests in one deployment. */
export interface Batch {
  readonly what: string;
  readonly from: readonly ManifestSource[];
  /** Additional objects before the changes, in YAML, for kinds without an example. */
  readonly given?: string;
  /** Edits of the initial objects. */
  readonly prior?: readonly Edit[];
  /** Commands of kubectl that another user runs before the changes. */
  readonly meanwhile?: readonly (readonly string[])[];
  /**
   * Random commands of another user for the existing objects. Rejections by the API server are
   * ignored.
   */
  readonly disturb?: (objects: readonly KubeObject[]) => readonly Command[];
  /** The arguments of kubectl that created the initial objects. Default: qvs creates them. */
  readonly maker?: readonly string[] | undefined;
  readonly rules?: Rules;
  /** Commands of qvs after the changes. */
  readonly afterwards?: readonly (readonly string[])[];
  readonly changes: readonly RealChange[];
}

/** Policies of the namespace. */
export interface Rules {
  /** True if the policies are added after the objects. */
  readonly areLate: boolean;
  readonly install: (
    cluster: TestCluster,
    namespace: string,
    onFinished: Setting["onFinished"],
  ) => Promise<void>;
}

/** The annotation of objects that belong to the stage `appSetup`. */
export const setUp = "example.com/set-up";

export type RealChange = readonly [what: string, ...edits: readonly Edit[]];

export interface ManifestSource {
  readonly from: From;
  /** The objects to use, as `Kind/name`. Default: all. */
  readonly only?: readonly string[];
  /** True if the object is added only by the changes. */
  readonly isNew?: boolean;
  /** Returns a new name. The object then replaces an earlier object with that name. */
  readonly named?: (name: string, index: number) => string;
}

interface Setting {
  readonly cluster: TestCluster;
  readonly compiler: Compiler;
  readonly accuracy: Accuracy;
  readonly onFinished: (work: () => void) => void;
  /** The flags of the deployment that makes the changes. */
  readonly flags?: readonly string[];
  /**
   * True if objects of other users and a second namespace are involved. The test then also looks
   * for unpredicted deletions, and waits for the garbage collector.
   */
  readonly isWide?: boolean;
  /** Throws for a deployment with an unexpected result. Default: for each failure. */
  readonly judge?: (result: QvsResult, batch: Batch, how: string, isWarned?: boolean) => void;
}

/**
 * Deploys the initial manifests, changes them, and compares the preview with the deployment.
 * Objects with a predicted rejection are not deployed. kubectl sends them afterwards, when
 * everything else exists, and the API server must reject them.
 */
export async function playBatch(batch: Batch, setting: Setting): Promise<void> {
  const { cluster, compiler, accuracy, onFinished, judge = mustSucceed } = setting;
  const namespace = await cluster.namespace("real");
  const [before, after] = await stagesOf(batch, namespace);
  const watch = setting.isWide
    ? await watchUnplanned(cluster, namespace, [...before, ...after], accuracy)
    : undefined;
  const shop = await manifestsIn(cluster, namespace, {
    onFinished,
    run: (directory, args, env = {}) =>
      runPredicted(directory, args, compiler, env, accuracy, watch),
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
    // One rejection can hide the next.
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

/** Creates the initial objects. Returns false if policies rejected them. */
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
    // The API server rejects a custom resource until its kind is served.
    for (let round = 0; round < 3; round++)
      await cluster.kubectlOutput(words, JSON.stringify(list));
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

/** Removes owner references, because only qvs resolves UIDs. */
function withoutOwners({ metadata, ...rest }: KubeObject): JsonObject {
  const { ownerReferences: _, ...own } = metadata;
  return { ...rest, metadata: own };
}

/** Checks that a second preview of the same manifests has no changes. */
async function compareAgain(
  setting: Setting,
  shop: Manifests,
  flags: readonly string[],
): Promise<void> {
  const report = await reportOf(setting, shop, flags);
  if (report === undefined) throw new Error("The second preview is missing");
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

/** Declares the objects in the deployment. */
export function declare(shop: Manifests, objects: readonly KubeObject[]): void {
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

/**
 * Checks that a config without a preview isn't deployed, for example one with circular
 * dependencies.
 */
function mustBeRefused({ code, stdout, stderr }: QvsResult, { what }: Batch): void {
  if (code === 0 || !stderr.includes("Nothing was changed"))
    throw new Error(`${what}, without a preview:\n${stdout}${stderr}`);
}

interface Refused {
  readonly refused: readonly Change[];
  /** Updates that the API server rejects unless they are forced. */
  readonly conflicting: readonly Change[];
  /**
   * True if a preview can't predict the outcome: because of an admission check without dry-run, or
   * because the garbage collector deletes an object immediately.
   */
  readonly isWarned: boolean;
}

async function reportOf(
  { cluster, compiler }: Pick<Setting, "cluster" | "compiler">,
  { directory, namespace }: Manifests,
  flags: readonly string[],
): Promise<PredictedReport | undefined> {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const args = ["deploy", "-n", namespace, "-p", "params.json", ...flags];
  const predicted = await predict(directory, args, compiler, env);
  predicted?.close();
  return predicted?.report;
}

/**
 * Returns the changes that the preview predicts as rejected by the API server or by qvs. qvs blocks
 * the whole deployment for its own rejections.
 */
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
  const isConflict = (code: string) => code === "field-conflict";
  return {
    isWarned: findings.some(({ code }) => ["pending-admission", "owner-missing"].includes(code)),
    conflicting: blocked
      .filter(({ codes }) => codes.length > 0 && codes.every(isConflict))
      .map(({ change }) => change),
    refused: blocked
      .filter(({ codes }) => codes.some((code) => !isConflict(code)))
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
    // An unchanged object is rejected because of a change of another object, so it is omitted.
    return before.find((each) => isSame(each, object) && !sameJson(each, object)) ?? [];
  });
}

function isSame(one: KubeObject, other: KubeObject): boolean {
  const hasSameName = one.metadata["name"] === other.metadata["name"];
  return (
    one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion) && hasSameName
  );
}

import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import type { RollbackObstacle, RollbackPreview } from "../../../../src/model/plan/predictions.ts";
import { obstacleKey } from "../../../../src/planning/rollback/losses-of-plan.ts";
import type { Compiler } from "../../../../src/ports/cue.ts";
import { allowEverything, protectedKinds } from "../../../../src/ssa/protection.ts";
import { type Manifests, manifestsIn } from "../../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../../support/cluster/use-cluster.ts";
import { runHere } from "../../../support/qvs/run-here.ts";
import type { QvsResult } from "../../../support/qvs/run-qvs.ts";
import { toFlag } from "../../compare-rollback.ts";
import { type Prediction, predict } from "../../predict.ts";
import { perform } from "../perform.ts";
import { type Batch, declare } from "../play-batch.ts";
import { stagesOf } from "../stages.ts";
import type { RollbackGroup, UndoneChange } from "./groups.ts";
import { differencesBetween, readState, type State } from "./state.ts";

/** The prediction of a rollback, and the result of the rollback. */
export interface RollbackOutcome {
  readonly what: string;
  readonly predicted: RollbackPreview;
  /** True if the rollback succeeded. */
  readonly worked: boolean;
  /** The contradictions between both. */
  readonly wrong: readonly string[];
}

interface Setting {
  readonly cluster: TestCluster;
  readonly compiler: Compiler;
  readonly onFinished: (work: () => void) => void;
}

/** Every flag that can help a rollback. */
const everyFlag = [
  "--allow-irreversible",
  "--allow-outside-namespace",
  `--allow-delete=${[...protectedKinds.keys(), allowEverything].join(",")}`,
  "--conflicts=force",
];

/**
 * Deploys the manifests of a group, then makes and rolls back each change of them. Adds the result
 * of each to `outcomes`.
 */
export async function rollBackEach(
  group: RollbackGroup,
  outcomes: RollbackOutcome[],
  { cluster, compiler, onFinished }: Setting,
): Promise<void> {
  const namespace = await cluster.namespace("undo");
  const shop = await manifestsIn(cluster, namespace, {
    onFinished,
    run: (directory, args, env = {}) => runHere(directory, args, compiler, env),
  });
  let last: RollbackOutcome | undefined;
  for (const change of group.changes) {
    const batch: Batch = { ...group, changes: [[change.what, ...change.edits]] };
    const [before, after] = await stagesOf(batch, namespace);
    if (!isRestored(last)) await deploy(shop, before);
    for (const command of change.meanwhile?.(namespace) ?? [])
      await perform(command, cluster, namespace);
    declare(shop, after);
    const prediction = await predictDeployment(shop, change, { cluster, compiler });
    try {
      const outcome = await rollBack(change, shop, prediction);
      last = { ...outcome, what: `${group.what}: ${change.what}` };
      outcomes.push(last);
    } finally {
      prediction.close();
    }
    if (!isRestored(last)) await deleteChanged(shop, prediction, cluster);
  }
}

/** Reports whether the initial manifests are deployed again. */
function isRestored(last: RollbackOutcome | undefined): boolean {
  return last?.predicted.possible === true && last.wrong.length === 0;
}

async function deploy(shop: Manifests, objects: readonly KubeObject[]): Promise<void> {
  declare(shop, objects);
  mustSucceed(await shop.qvs("deploy", "--quiet", "--timeout=60s", ...everyDeployFlag), "deploy");
}

const everyDeployFlag = everyFlag.slice(2);

async function predictDeployment(
  { directory, namespace }: Manifests,
  { what, flags = [] }: UndoneChange,
  { cluster, compiler }: Pick<Setting, "cluster" | "compiler">,
): Promise<Prediction> {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const args = ["deploy", "-n", namespace, "-p", "params.json", ...flags];
  const prediction = await predict(directory, args, compiler, env);
  if (prediction === undefined) throw new Error(`${what}: no preview`);
  return prediction;
}

/** Makes the predicted change, rolls it back, and compares the rollback with its prediction. */
async function rollBack(
  { what, flags = [], others }: UndoneChange,
  shop: Manifests,
  { report, cluster }: Prediction,
): Promise<Omit<RollbackOutcome, "what">> {
  const { plan, rollback: predicted, blockers } = report;
  if (plan === undefined || predicted === undefined)
    throw new Error(`${what}: no rollback is predicted: ${JSON.stringify(blockers)}`);
  const objects = [
    ...plan.changes.map(({ desired }) => desired),
    ...plan.deletions.map(({ live }) => live),
    ...(others?.(shop.namespace) ?? []).map(({ metadata, ...content }) => ({
      ...content,
      metadata: { ...metadata, namespace: shop.namespace },
    })),
  ] as readonly KubeObject[];
  const read = () => readState(cluster, objects, shop.namespace);
  const before = await read();
  mustSucceed(await shop.qvs("deploy", "--quiet", "--timeout=60s", ...flags), what);
  const deployed = await read();
  const rollBackWith = (words: readonly string[]) =>
    shop.qvs("rollback", "--quiet", "--timeout=60s", `--to=${predicted.to}`, ...words);
  const needed = predicted.needs.map(toFlag);
  const withoutFlags = needed.length === 0 ? undefined : await rollBackWith([]);
  const result = await rollBackWith(predicted.possible === true ? needed : everyFlag);
  const states = { before, deployed, after: await read() };
  const wrong = [
    ...(withoutFlags?.code === 0 ? [`works without ${needed.join(" ")}`] : []),
    ...(predicted.possible === true
      ? await compareRestored(predicted, result, states, shop)
      : compareRefused(predicted, result, states)),
  ];
  return { predicted, worked: result.code === 0, wrong };
}

interface States {
  readonly before: State;
  readonly deployed: State;
  readonly after: State;
}

/** Checks that a rollback fails for the predicted reasons, and that it changes nothing. */
function compareRefused(
  { possible, reasons }: RollbackPreview,
  { code, stdout, stderr }: QvsResult,
  { deployed, after }: States,
): readonly string[] {
  if (possible === undefined) return [];
  if (code === 0) return [`not possible (${texts(reasons)}), but it succeeded: ${stdout}`];
  // A name that is equal to a secret value is hidden in both.
  const isNamed = ({ what, object }: RollbackObstacle) =>
    object === undefined || stderr.includes(object.name) || stderr.includes(what);
  const unnamed = reasons.filter((reason) => !isNamed(reason));
  const changed = differencesBetween(deployed, after);
  return [
    ...unnamed.map((reason) => `fails, but not because ${reason.what}: ${stderr}`),
    ...changed.map(({ key }) => `fails, but changes ${key}`),
  ];
}

/** Compares the number of changed objects, their fields, and the lost objects. */
async function compareRestored(
  predicted: RollbackPreview,
  { code, stdout, stderr }: QvsResult,
  { before, deployed, after }: States,
  shop: Manifests,
): Promise<readonly string[]> {
  if (code !== 0) return [`possible, but it failed: ${stderr}`];
  const { lost, notes, objects } = predicted;
  const [written, content] = [
    await writtenObjects(shop, stdout),
    differencesBetween(deployed, after),
  ];
  const count = `${objects} objects predicted, but ${written.length}: ${written.join(", ")}`;
  // A rollback can change only the owner or the API version of an object.
  const isCounted =
    objects <= written.length &&
    content.filter(({ key }) => written.includes(key)).length <= objects;
  const [lostKeys, noteKeys] = [lost, notes].map(keysOf) as [Keys, Keys];
  const remaining = differencesBetween(before, after);
  const unpredicted = remaining.filter(
    ({ key, of }) => !lostKeys.has(key) && (of === "object" ? holdsData(key) : !noteKeys.has(key)),
  );
  // Objects that are deleted with another one are named in the reason.
  const reasons = lost.map(({ why }) => why).join("\n");
  const missing = [...before].filter(
    ([key, { kind, metadata }]) =>
      !after.has(key) && !lostKeys.has(key) && !isNamedIn(reasons, kind, `${metadata["name"]}`),
  );
  const notLost = [...lostKeys].filter((key) => remaining.every((each) => each.key !== key));
  return [
    ...(isCounted ? [] : [count]),
    ...unpredicted.map(({ key, of, fields }) => `${key}: another ${of} ${fields.join(", ")}`),
    ...missing.map(([key]) => `${key}: doesn't exist again`),
    ...notLost.map((key) => `${key}: predicted as lost, but it is as before`),
  ];
}

function isNamedIn(text: string, kind: string, name: string): boolean {
  return text.includes(`${kind} `) && text.includes(name);
}

type Keys = ReadonlySet<string>;

function keysOf(obstacles: readonly RollbackObstacle[]): Keys {
  return new Set(obstacles.flatMap((each) => obstacleKey(each) ?? []));
}

/** Reports whether another object with the same manifest lacks the data of the former one. */
function holdsData(key: string): boolean {
  return key.startsWith("core:PersistentVolumeClaim:");
}

/** Returns the keys of the objects that the rollback has written, from its record. */
async function writtenObjects(shop: Manifests, stdout: string): Promise<readonly string[]> {
  const revision = /release (\d+) succeeded/.exec(stdout)?.[1];
  if (revision === undefined) return [];
  const shown = await shop.qvs("releases", "show", revision, "--format=json");
  mustSucceed(shown, "releases show");
  const { results }: { readonly results: readonly Result[] } = JSON.parse(shown.stdout);
  return results
    .filter(({ outcome }) => outcome !== "unchanged" && outcome !== "kept")
    .map(({ object }) => object);
}

interface Result {
  readonly object: string;
  readonly outcome: string;
}

/** Deletes the objects that the plan changed, so that the former manifests can be deployed. */
async function deleteChanged(
  shop: Manifests,
  { report }: Prediction,
  cluster: TestCluster,
): Promise<void> {
  const changed = (report.plan?.changes ?? []).filter(({ action }) => action !== "unchanged");
  for (const change of changed) {
    const words = ["delete", "-n", shop.namespace, "--ignore-not-found", "--timeout=60s"];
    // The kind of a custom resource can be deleted already.
    await cluster.kubectlOutput([...words, argumentOf(change)], "");
  }
}

function argumentOf({ id: { group, kind, name } }: Change): string {
  return `${group === "" ? kind : `${kind}.${group}`}/${name}`;
}

function texts(obstacles: readonly RollbackObstacle[]): string {
  return obstacles.map(({ what }) => what).join("; ");
}

function mustSucceed({ code, stdout, stderr }: QvsResult, what: string): void {
  if (code !== 0) throw new Error(`${what}:\n${stdout}${stderr}`);
}

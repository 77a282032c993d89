import { afterAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/model/object.ts";
import type { RollbackPreview } from "../../../src/model/plan/predictions.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import type { User } from "../../support/cluster/users.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { toFlag } from "../compare-rollback.ts";
import { predict } from "../predict.ts";
import { changeCases } from "./change-cases.ts";
import { lossCases } from "./loss-cases.ts";
import type { UndoCase } from "./undo-case.ts";

/**
 * Deploys a change, rolls it back, and compares the rollback with its prediction in the preview of
 * the change (docs/deploy/roll-back.md#before-the-merge).
 */
const cluster = useCluster();
const compiler = startCompiler();

afterAll(() => compiler.close());

describe.concurrent("the predicted rollback", () => {
  test.for([...changeCases, ...lossCases])("of $what", async (one, { expect, onTestFinished }) => {
    const shop = await manifestsIn(cluster, undefined, {
      onFinished: onTestFinished,
      run: (directory, args, env = {}) => runHere(directory, args, compiler, env),
    });
    const { user = "admin" } = one;
    const qvs = (...args: readonly [string, ...string[]]) =>
      shop.qvsAs(user, args[0], "--quiet", ...args.slice(1));
    const at = (yaml: string) => yaml.replaceAll("NAME", shop.namespace);
    await applyAs(shop, at(one.existing ?? ""), "existing.yaml");
    shop.declare({ app: at(one.before) });
    const first = await qvs("deploy", "--timeout=60s");
    expect(first.code, first.stderr).toBe(0);
    await applyAs(shop, at(one.others ?? ""), "others.yaml");
    for (const words of one.meanwhile ?? []) await shop.kubectl(...words.map(at));
    shop.declare({ app: at(one.after) });
    const rollback = await predictedRollback(shop, one);
    expect(summary(rollback)).toEqual(expectedSummary(one));
    mentions(rollback, one, at);
    const stateBefore = await liveState(shop);
    const second = await qvs("deploy", "--timeout=60s", ...(one.flags ?? []));
    expect(second.code, second.stderr).toBe(0);
    const flags = rollback.needs.map(toFlag);
    const real = await reportOf(shop, user, ["rollback", "--to", "1", ...flags]);
    const changed = [
      ...(real.plan?.changes ?? []).filter(({ action }) => action !== "unchanged"),
      ...(real.plan?.deletions ?? []),
    ];
    // A rollback without a prediction can work or not.
    if (rollback.possible === undefined) return;
    if (one.expected.possible === true) expect(rollback.objects).toBe(changed.length);
    if (flags.length > 0) {
      const refused = await qvs("rollback", "--to", "1");
      expect(refused.code, "without flags").not.toBe(0);
    }
    const third = await qvs("rollback", "--to", "1", "--timeout=60s", ...flags);
    expect(third.code === 0, third.stderr).toBe(rollback.possible);
    if (!one.expected.possible) return;
    const differing = differences(stateBefore, await liveState(shop));
    const known = [...rollback.lost, ...rollback.notes].flatMap(({ object }) => object?.name ?? []);
    expect(differing.filter((name) => !known.some((each) => name.endsWith(`/${each}`)))).toEqual(
      [],
    );
  });
});

/** Applies manifests as another user. */
async function applyAs(shop: Manifests, yaml: string, file: string): Promise<void> {
  if (yaml === "") return;
  shop.write(file, yaml);
  await shop.kubectl("apply", "--server-side", "-f", `${shop.directory}/${file}`);
}

async function predictedRollback(shop: Manifests, one: UndoCase): Promise<RollbackPreview> {
  const { rollback, blockers } = await reportOf(shop, one.user ?? "admin", [
    ...["deploy", "-p", "params.json"],
    ...(one.previewsItself ? ["--dry-run"] : []),
    ...(one.flags ?? []),
  ]);
  if (rollback === undefined) throw new Error(`no rollback: ${JSON.stringify(blockers)}`);
  return rollback;
}

async function reportOf(shop: Manifests, user: User, args: readonly string[]) {
  const env = { KUBECONFIG: cluster.kubeconfigFor(user) };
  const words = [...args, "-n", shop.namespace];
  const predicted = await predict(shop.directory, words, compiler, env);
  if (predicted === undefined) throw new Error(`no preview of ${words.join(" ")}`);
  predicted.close();
  return predicted.report;
}

function summary({ possible, needs, lost }: RollbackPreview) {
  return { possible, needs, lost: lost.length };
}

function expectedSummary({ expected: { possible, needs = [], lost = [] } }: UndoCase) {
  return { possible, needs, lost: lost.length };
}

function mentions(
  rollback: RollbackPreview,
  { expected }: UndoCase,
  named: (text: string) => string,
): void {
  for (const part of ["lost", "reasons", "notes"] as const) {
    const text = rollback[part].map(({ what }) => what).join("\n");
    for (const words of expected[part] ?? []) expect(text, part).toContain(named(words));
    if ((expected[part] ?? []).length === 0) expect(text, part).toBe("");
  }
}

const kinds =
  "configmaps,secrets,services,deployments,statefulsets,persistentvolumeclaims,roles,rolebindings,jobs";

/**
 * Returns the content of each object of the deployment, without metadata, status and values that
 * the cluster chooses.
 */
async function liveState(shop: Manifests): Promise<ReadonlyMap<string, string>> {
  const label = "app.kubernetes.io/managed-by=qvs,!vs.axis-dev.io/revision";
  const { items } = JSON.parse(await shop.kubectl("get", kinds, "-l", label, "-o", "json"));
  return new Map(
    (items as readonly KubeObject[]).map(({ kind, metadata, status: _, ...content }) => [
      `${kind}/${metadata["name"]}`,
      JSON.stringify(content).replaceAll(
        /"(clusterIPs?|(batch\.kubernetes\.io\/)?controller-uid)":[^,}]*/g,
        "",
      ),
    ]),
  );
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

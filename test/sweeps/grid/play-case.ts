import { setTimeout as sleep } from "node:timers/promises";
import {
  type Manifests,
  manifestsIn,
  type Surroundings,
} from "../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { QvsResult } from "../../support/qvs/run-qvs.ts";
import type { Fields, GridCase, GridNode } from "../../support/rollout-pieces.ts";

export interface Played {
  readonly predicted: "ends" | "does not end" | "unknown";
  /** True if only warnings predict a stuck rollout. Then chance or other tools decide. */
  readonly isWarning: boolean;
  readonly ended: boolean;
  /** The findings, and the output of the deployment. */
  readonly told: string;
}

/** The time without progress after which a rollout counts as stuck. */
const patience = "8s";

/**
 * Deploys all steps except the last one, predicts the last one, deploys it, and returns the
 * outcome.
 */
export async function playCase(
  grid: GridCase,
  id: string,
  cluster: TestCluster,
  surroundings: Surroundings,
): Promise<Played> {
  const namespace = await cluster.namespace(id);
  try {
    return await playIn(namespace, grid, id, cluster, surroundings);
  } finally {
    // The scheduler retries waiting Pods for each new node, and each preview reads all nodes.
    // Therefore the objects are deleted.
    const own = [namespace, `${id}-other`];
    await cluster.kubectl("delete", "namespace", ...own, "--ignore-not-found", "--wait=false");
    await cluster.kubectl("delete", "nodes", "-l", `grid=${id}`, "--wait=false");
  }
}

async function playIn(
  namespace: string,
  { nodes, steps, around = [], meanwhile = [], ...grid }: GridCase,
  id: string,
  cluster: TestCluster,
  surroundings: Surroundings,
): Promise<Played> {
  const { isStuckBefore = false, isChangedLater = false, isAroundOpen = false } = grid;
  const manifests = nodes.map((node, index) => nodeObject(node, id, index));
  await cluster.apply(
    "default",
    JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests }),
  );
  const ready = ["wait", "--for=condition=Ready", "nodes", "-l", `grid=${id}`, "--timeout=600s"];
  await cluster.kubectl(...ready);
  for (const each of around) await cluster.apply(namespace, here(each, id));
  if (around.some(({ kind }) => kind === "Deployment")) {
    const awaited = isAroundOpen
      ? ["wait", "--for=jsonpath={.status.observedGeneration}=1", "deployment/db"]
      : ["rollout", "status", "deployment/db"];
    await cluster.kubectl(...awaited, "-n", namespace);
    if (isAroundOpen) await sleep(1000);
  }
  const demo = await manifestsIn(cluster, namespace, surroundings);
  for (const step of steps.slice(0, -1)) {
    declare(demo, step, id);
    const before = await demo.qvs("deploy", "--timeout", isStuckBefore ? "4s" : "10m");
    if (before.code !== 0 && !isStuckBefore) throw new Error(before.stdout + before.stderr);
    await sleep(500);
  }
  for (const args of meanwhile) {
    await demo.kubectl(...args.map((each) => each.replaceAll("CASE", id)));
  }
  declare(demo, steps.at(-1) ?? [], id);
  const diff = await demo.qvs("diff", "--format", "json");
  const findings = findingsIn(diff.stdout);
  const done = await deployToTheEnd(demo, grid);
  if (isChangedLater) await sleep(20_000);
  return {
    predicted: verdictOf(findings),
    isWarning: findings.every(({ code, severity }) => !(stuckBy.has(code) && severity === "error")),
    ended: done.code === 0 && (!isChangedLater || (await isWhole(demo))),
    told: [...findings.map((each) => JSON.stringify(each)), done.stdout, done.stderr].join("\n"),
  };
}

/**
 * Deploys repeatedly until the rollout is complete or stuck. A busy machine needs more time, so a
 * rollout is stuck only if a Pod has no node and nothing changed since the last attempt. If a Pod
 * was rejected, because the quota doesn't count a deletion yet, its controller doubles the wait
 * after each attempt.
 */
async function deployUntilStuck(demo: Manifests): Promise<QvsResult> {
  let before: string | undefined;
  let standing = 0;
  for (let attempt = 1; ; attempt++) {
    const done = await demo.qvs("deploy", "--timeout", patience);
    const [state] = /not ready after .* old|not ready after .*updated/.exec(done.stderr) ?? [];
    standing = state !== undefined && state === before ? standing + 1 : 0;
    const isRefused = done.stderr.includes("FailedCreate");
    const isStuck = isRefused
      ? standing >= 4
      : standing >= 1 && done.stderr.includes("Unschedulable");
    if (done.code === 0 || isStuck || attempt === 8) return done;
    before = state;
  }
}

/** Deploys, and deploys once more if the rollout continues after the first deployment. */
async function deployToTheEnd(
  demo: Manifests,
  { pauses = false, begun }: Pick<GridCase, "pauses" | "begun">,
): Promise<QvsResult> {
  const done = await deployUntilStuck(demo);
  if (done.code !== 0 || (!pauses && begun === undefined)) return done;
  const phase = ["get", "rollout", "web", "-o", "jsonpath={.status.phase}"];
  while (pauses && (await demo.kubectl(...phase)) === "Paused") await sleep(200);
  if (begun !== undefined) await demo.kubectl("wait", ...begun, "--timeout=600s");
  return deployUntilStuck(demo);
}

/** Reports whether the rollout is complete, even if another tool has scaled it. */
async function isWhole(demo: Manifests): Promise<boolean> {
  const status = await demo
    .kubectl("rollout", "status", "deployment/web", "--timeout=5s")
    .catch(() => "");
  return status.includes("successfully rolled out");
}

interface Told {
  readonly code: string;
  readonly severity: string;
  readonly object: unknown;
}

function findingsIn(json: string): readonly Told[] {
  const { findings, problems } = JSON.parse(json);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return findings;
}

const stuckBy = new Set([
  ...["rollout-deadlock", "never-fits", "quota-exceeded", "rollout-paused"],
  ...["invalid-rollout", "missing-dependency"],
]);

/** Returns the predicted outcome. A note predicts only a slow rollout. */
function verdictOf(findings: readonly Told[]): Played["predicted"] {
  if (findings.some(({ code }) => code === "rollout-unknown")) return "unknown";
  const stuck = findings.some(({ code, severity }) => stuckBy.has(code) && severity !== "note");
  return stuck ? "does not end" : "ends";
}

function declare(demo: Manifests, objects: readonly Fields[], id: string): void {
  demo.declare({ app: objects.map((each) => here(each, id)).join("\n---\n") });
}

function here(object: Fields, id: string): string {
  return JSON.stringify(object).replaceAll("CASE", id);
}

function nodeObject(node: GridNode, id: string, index: number): Fields {
  const name = `${id}-node-${index + 1}`;
  const resources = { cpu: "32", memory: "128Gi", pods: "110", ...node.allocatable };
  const own = { key: "grid", value: id, effect: "NoSchedule" };
  const other = { key: "reserved", value: "true", effect: "NoSchedule" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        grid: id,
        "grid.example/node": name,
        ...(node.nameless === true ? {} : { "kubernetes.io/hostname": name }),
        ...node.labels,
      },
    },
    spec: {
      taints: [own, ...(node.tainted === true ? [other] : []), ...(node.taints ?? [])],
      ...(node.unschedulable === true && { unschedulable: true }),
    },
    status: { allocatable: resources, capacity: resources },
  };
}

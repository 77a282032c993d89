import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { countPodsDuring } from "../support/cluster/count-pods.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runHere } from "../support/qvs/run-here.ts";

/**
 * Compares the forecasts of 60 rollouts with the ready Pods that the test counts itself. New Pods
 * become ready after 1 to 20 s.
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

type Fields = Readonly<Record<string, unknown>>;

interface Workload {
  readonly kind: "Deployment" | "StatefulSet";
  readonly replicas: number;
  readonly spec: Fields;
}

const rolling = (
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): Workload => ({
  kind: "Deployment",
  replicas,
  spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
});
const recreate = (replicas: number): Workload => ({
  kind: "Deployment",
  replicas,
  spec: { strategy: { type: "Recreate" } },
});
const ordered = (replicas: number, spec: Fields = {}): Workload => ({
  kind: "StatefulSet",
  replicas,
  spec: { serviceName: "none", ...spec },
});

const workloads: readonly Workload[] = [
  rolling(1, "25%", "25%"),
  rolling(1, 1, 0),
  rolling(1, 0, 1),
  rolling(1, 1, 1),
  rolling(2, "25%", "25%"),
  rolling(2, 1, 0),
  rolling(2, 0, 1),
  rolling(2, "50%", "50%"),
  rolling(2, "100%", "100%"),
  rolling(3, "25%", "25%"),
  rolling(3, 1, 1),
  rolling(3, 0, 2),
  rolling(3, 2, 0),
  rolling(4, "25%", "25%"),
  rolling(4, 2, 0),
  rolling(4, "100%", 0),
  rolling(4, 0, "100%"),
  rolling(4, 1, 2),
  rolling(5, 2, 2),
  rolling(5, "40%", 0),
  rolling(6, "30%", "30%"),
  rolling(6, 0, 3),
  rolling(8, "25%", "25%"),
  recreate(1),
  recreate(3),
  ordered(1),
  ordered(2),
  ordered(3),
  ordered(3, { podManagementPolicy: "Parallel" }),
  ordered(4, { updateStrategy: { rollingUpdate: { partition: 2 } } }),
];

/** The delays of both rounds in seconds. Those of StatefulSets are cut: they wait for each Pod. */
const delays = [
  [1, 2, 3, 4, 5, 7, 9, 12, 16, 20],
  [20, 1, 13, 2, 10, 3, 6, 4, 8, 5],
];

function delayOf(workload: Workload | undefined, index: number, round: number): number {
  const delay = delays[round - 1]?.[index % 10] ?? 0;
  return workload?.kind === "StatefulSet" ? Math.min(delay, 6) : delay;
}

function manifest(workload: Workload, index: number, round: number): string {
  const { kind, replicas, spec } = workload;
  const name = `w${index}`;
  const seconds = delayOf(workload, index, round);
  const annotations =
    round === 0 ? {} : { "test.qvs/behaviour": "slow", "test.qvs/delay": `${seconds}s` };
  return stringify({
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      ...spec,
      template: {
        metadata: { labels: { app: name }, annotations: { ...annotations, round: `${round}` } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "web", image: "registry.example/web:1.0.0" }],
        },
      },
    },
  });
}

interface ShownRollout {
  readonly object: string;
  readonly replicas: number;
  readonly forecast: { readonly leastReady: number; readonly seconds: number | null };
  readonly observed: { readonly leastReady: number; readonly seconds: number } | null;
}

const apps = workloads.map((_, index) => `w${index}`);

test("60 rollouts have as many ready Pods as predicted", async () => {
  const namespace = await cluster.namespace("forecast");
  const files = (round: number) =>
    workloads.map((each, index) => [`k8s/w${index}.yaml`, manifest(each, index, round)] as const);
  const repository = temporaryRepository({
    ".valuestream/qvs.yaml": "designPatterns: [{manifests: ../k8s}]\n",
    ...Object.fromEntries(files(0)),
  });
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const run = (...args: readonly string[]) =>
    runHere(repository.directory, [...args, "-n", namespace], compiler, env);
  const deploy = async () => {
    const { code, stderr } = await run("deploy", "--quiet", "--concurrency", "40");
    expect(code, stderr).toBe(0);
  };
  await deploy();
  for (const round of [1, 2]) {
    for (const [path, text] of files(round)) repository.write(path, text);
    const preview = await run("diff");
    const work = deploy();
    const counted = await countPodsDuring(cluster, { namespace, apps }, work);
    await work;
    const shown = await run("releases", "show", `${round + 1}`, "--format", "json");
    const rollouts: readonly ShownRollout[] = JSON.parse(shown.stdout).rollouts;
    expect(rollouts).toHaveLength(workloads.length);
    for (const { object, replicas, forecast, observed } of rollouts) {
      const name = object.slice(object.lastIndexOf("/") + 1);
      const words = forecast.leastReady === 0 ? "none" : `at least ${forecast.leastReady}`;
      const line = `${words} of ${replicas} Pod`;
      expect(preview.stdout).toContain(`${namespace}/${name}: ${line}`);
      const isQuick = delayOf(workloads[Number(name.slice(1))], Number(name.slice(1)), round) < 2;
      for (const seen of [counted.get(name)?.leastReady, observed?.leastReady]) {
        // A Pod that is ready within a second can be faster than the controller's next step.
        if (isQuick) expect.soft(seen, line).toBeGreaterThanOrEqual(forecast.leastReady);
        else expect.soft(seen, `round ${round}, ${name}`).toBe(forecast.leastReady);
      }
    }
  }
});

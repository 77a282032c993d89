import { expect, test } from "vitest";
import { stringify } from "yaml";
import { forecastText } from "../../../src/report/rows/forecasts.ts";
import { countPodsDuring, type PodCounts } from "../../support/cluster/count-pods.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { useNode } from "../../support/node/use-node.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";
import { forecastImage, manifestOf, slowWorkloads } from "./forecast-grid.ts";

/**
 * Compares the forecasts of ten rollouts on a real node with the curves of ready Pods: those that
 * the release records, and those that the test counts itself.
 */
const node = useNode();
const apps = slowWorkloads.map(({ name }) => name);

interface Counts {
  readonly leastReady: number;
  readonly morePods: number | null;
  readonly seconds: number | null;
}

interface ShownRollout {
  /** The key of the workload. */
  readonly object: string;
  readonly replicas: number;
  readonly forecast: Counts;
  readonly observed: (Counts & { readonly seconds: number }) | null;
}

test("ten rollouts have as many Pods, and take as long, as predicted", async () => {
  await node.image(forecastImage);
  const namespace = await node.namespace("forecast");
  const repository = temporaryRepository({
    ".valuestream/qvs.yaml": "designPatterns: [{manifests: ../k8s}]\n",
  });
  const env = { KUBECONFIG: node.kubeconfigFor("admin") };
  const qvs = async (...args: readonly string[]) => {
    const result = await runQvs(repository.directory, [...args, "-n", namespace], env);
    expect(result.code, result.stderr).toBe(0);
    return result.stdout;
  };
  const declare = (round: number) => {
    for (const workload of slowWorkloads)
      repository.write(`k8s/${workload.name}.yaml`, stringify(manifestOf(workload, round)));
  };
  declare(0);
  await qvs("deploy", "--concurrency=20");
  const rows: string[] = [];
  for (const round of [1, 2]) {
    declare(round);
    const preview = await qvs("diff");
    const work = qvs("deploy", "--concurrency=20");
    const counted = await countPodsDuring(node, { namespace, apps }, work);
    await work;
    const shown = await qvs("releases", "show", `${round + 1}`, "--format=json");
    const rollouts: readonly ShownRollout[] = JSON.parse(shown).rollouts;
    for (const { name } of slowWorkloads) {
      const rollout = rollouts.find(({ object }) => object.endsWith(`/${name}`));
      if (rollout?.observed == null) throw new Error(`${name}: no rollout is recorded`);
      const { forecast, observed } = rollout;
      const pods = morePodsOf(rollout, counted.get(name));
      rows.push(rowText(round, name, rollout, pods));
      expect.soft(preview).toContain(`${namespace}/${name}: ${previewText(rollout)}`);
      expect.soft(pods, `${name}: counted`).toEqual({
        leastReady: forecast.leastReady,
        morePods: forecast.morePods,
      });
      expect.soft(observed.leastReady, `${name}: ready`).toBe(forecast.leastReady);
      if (observed.morePods !== null)
        expect.soft(observed.morePods, name).toBeGreaterThanOrEqual(forecast.morePods ?? 0);
      expect.soft(forecast.seconds === null, `${name}: has no duration`).toBe(round === 1);
      if (forecast.seconds !== null)
        expect
          .soft(Math.abs(observed.seconds - forecast.seconds), `${name}: seconds`)
          .toBeLessThan(Math.max(6, forecast.seconds / 2));
    }
  }
  console.log(rows.join("\n"));
  await node.kubectl("delete", "namespace", namespace, "--wait=false");
});

function previewText({ replicas, forecast }: ShownRollout): string {
  const { leastReady, morePods, seconds } = forecast;
  const counts = { replicas, leastReady, morePods: morePods ?? 0 };
  return forecastText(seconds === null ? counts : { ...counts, seconds });
}

/** Returns the counted Pods in the form of the forecast. */
function morePodsOf({ replicas }: ShownRollout, counted?: PodCounts) {
  const { leastReady, mostPods = 0 } = counted ?? {};
  return { leastReady, morePods: Math.max(0, mostPods - replicas) };
}

function rowText(
  round: number,
  name: string,
  { replicas, forecast, observed }: ShownRollout,
  counted: ReturnType<typeof morePodsOf>,
): string {
  const text = (counts: Counts | null) =>
    `${counts?.leastReady} ready, ${counts?.morePods ?? "?"} more, ${counts?.seconds ?? "?"} s`;
  return `${round} ${name} (${replicas}): predicted ${text(forecast)}; observed ${text(observed)}; counted ${counted.leastReady} ready, ${counted.morePods} more`;
}

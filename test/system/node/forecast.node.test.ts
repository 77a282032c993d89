import { expect, test } from "vitest";
import { stringify } from "yaml";
import { leastReadyDuring } from "../../support/cluster/ready-pods.ts";
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
    const { forecasts } = JSON.parse(await qvs("diff", "--format=json"));
    const work = qvs("deploy", "--concurrency=20");
    const counted = await leastReadyDuring(node, { namespace, apps }, work);
    await work;
    const shown = await qvs("releases", "show", `${round + 1}`, "--format=json");
    const rollouts: readonly ShownRollout[] = JSON.parse(shown).rollouts;
    for (const { name } of slowWorkloads) {
      const rollout = rollouts.find(({ object }) => object.endsWith(`/${name}`));
      const previewed = forecasts.find(({ key }: { key: string }) => key.endsWith(`/${name}`));
      if (rollout?.observed == null) throw new Error(`${name}: no rollout is recorded`);
      const { replicas, forecast, observed } = rollout;
      rows.push(rowText(round, name, rollout, counted.get(name)));
      expect.soft(previewed, name).toMatchObject({ ...known(forecast), replicas });
      expect.soft(counted.get(name), `${name}: counted`).toBe(forecast.leastReady);
      expect.soft(observed.leastReady, `${name}: ready`).toBe(forecast.leastReady);
      expect
        .soft(observed.morePods ?? forecast.morePods, `${name}: more Pods`)
        .toBe(forecast.morePods);
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

/** Returns the predicted counts, without those that aren't known. */
function known(counts: Counts): Partial<Counts> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null));
}

function rowText(
  round: number,
  name: string,
  { replicas, forecast, observed }: ShownRollout,
  counted: number | undefined,
): string {
  const text = (counts: Counts | null) =>
    `${counts?.leastReady} ready, ${counts?.morePods ?? "?"} more, ${counts?.seconds ?? "?"} s`;
  return `${round} ${name} (${replicas}): predicted ${text(forecast)}; observed ${text(observed)}; counted ${counted} ready`;
}

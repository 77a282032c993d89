import type { DeploymentState, Instance } from "../../model/queries.ts";
import type { Release } from "../../model/release.ts";
import type { Target, World } from "../../ports/world.ts";
import { hideTexts } from "../../redaction/hide-texts.ts";
import { secretTexts } from "../../releases/queries/hidden-texts.ts";
import { instancesOf } from "../../releases/queries/instances.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { summariseReleases } from "../../releases/queries/summarise-release.ts";
import { isHealthy, judgeObjects } from "./judge-objects.ts";
import { readLocks } from "./read-locks.ts";
import { type RunningDeployment, readRunning } from "./read-running.ts";

/** What runs of each of these deployments, and how it is. */
export async function readDeployments(
  world: World,
  { cluster }: Target,
  deployments: readonly RecordedDeployment[],
): Promise<readonly DeploymentState[]> {
  const now = world.clock.now();
  const namespaces = new Set(deployments.map(({ namespace }) => namespace));
  const [running, locks] = await Promise.all([
    readRunning(cluster, deployments, world),
    readLocks(cluster, [...namespaces], now),
  ]);
  const recorded = running.map((deployment) => ({
    deployment,
    instances: instancesOf(releasesOf(deployment)),
  }));
  const states = await judgeObjects(
    cluster,
    recorded.flatMap(({ instances }) => instances),
    now,
  );
  return recorded.map(({ deployment, instances }) => {
    const { name, namespace, revisions, releases } = deployment;
    const lock = locks.get(`${namespace}/${name}`);
    const texts = releasesOf(deployment).flatMap(secretTexts);
    return {
      ...{ name, namespace, lock },
      releases: summariseReleases(releasesOf(deployment), lock?.isAlive),
      recorded: revisions.length,
      instances: instances.map((instance): Instance => {
        const state = states.get(instance.key) ?? unknown;
        const why = hideTexts(state.why, texts);
        return { ...instance, ...state, why, isHealthy: isHealthy(instance, state) };
      }),
      problems: releases.ok ? [] : releases.problems,
    };
  });
}

const unknown = { state: "unknown", why: "", live: undefined } as const;

function releasesOf({ releases }: RunningDeployment): readonly Release[] {
  return releases.ok ? releases.value : [];
}

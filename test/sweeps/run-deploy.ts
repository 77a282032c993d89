import { afterAll } from "vitest";
import { describeFailures } from "../../src/apply/failure/describe-failures.ts";
import { exitCode, reportFailure } from "../../src/cli/output/report-failure.ts";
import { deploy } from "../../src/commands/deploy.ts";
import type { DeployOutcome } from "../../src/deploying/deploy-outcome.ts";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { defaultPace, type Pace } from "../../src/io/kubernetes/transport/limits.ts";
import { defaultRequest } from "../../src/model/deployments/deploy-request.ts";
import type { TargetCluster, World } from "../../src/ports/world.ts";
import { chooseDeployment } from "../../src/sources/list-deployments.ts";
import { lockDeployment } from "../../src/world/open-target.ts";
import { openWorld } from "../../src/world/open-world.ts";
import { startCompiler } from "../support/cue/native.ts";
import { cautious } from "../support/policy.ts";
import type { Demo } from "./demo.ts";

/** The end of a run of qvs, as its user sees it. */
export interface RunEnd {
  readonly code: number;
  /** Failures and problems that the run printed at its end. */
  readonly text: string;
  /** Keys of the objects whose deletion was left to a later run. */
  readonly kept: readonly string[];
}

export type RunDeploy = (demo: Demo, kubeconfig: string, pace?: Partial<Pace>) => Promise<RunEnd>;

/** Waits shorter than the program does, so that a sweep takes minutes. The number of attempts is equal. */
const quickPace: Pace = {
  ...defaultPace,
  firstDelay: 20,
  longestDelay: 200,
  longestRetryAfter: 100,
};

/** Milliseconds after which a run counts as hanging, also on a busy machine while a lock expires. */
const longestRun = 600_000;

/**
 * Returns a function that runs `qvs deploy` in this process, with the real compiler and transport.
 * It gives up on a run that hangs. Call it at the top of a test file.
 */
export function useDeploy(): RunDeploy {
  const compiler = startCompiler();
  afterAll(() => compiler.close());
  return async (demo, kubeconfig, pace) => {
    const env = { PATH: process.env.PATH, USER: "sweep" };
    const stop = new AbortController();
    const world = await openWorld({
      directory: demo.directory,
      read: "work tree",
      env,
      streams: process,
      compiler,
      kubeconfig: { path: kubeconfig },
      signal: stop.signal,
      repositoryName: "demo",
      origin: { commit: undefined, actor: "sweep", run: undefined },
      quiet: true,
    });
    const cluster = openCluster(await connect({ kubeconfig: { path: kubeconfig }, env }), {
      ...quickPace,
      ...pace,
    });
    const target: TargetCluster = {
      cluster,
      lock: (lock) =>
        lockDeployment(cluster, { ...lock, holder: "a run in a sweep", clock: world.clock }),
      dryRunLock: async () => undefined,
    };
    const timer = AbortSignal.timeout(longestRun);
    try {
      return await Promise.race([
        ended({ ...world, target: async () => target }, demo),
        hung(timer),
      ]);
    } finally {
      stop.abort();
      cluster.close();
      world.close();
    }
  };
}

async function ended(world: World, demo: Demo): Promise<RunEnd> {
  let text = "";
  const stream = { write: (more: string) => (text += more) } as unknown as NodeJS.WriteStream;
  try {
    const choice = { config: undefined, deployment: undefined, context: undefined };
    const chosen = await chooseDeployment(world.source.tree, world.repositoryName, {
      ...choice,
      params: ["params.json"],
      namespace: demo.namespace,
    });
    const limits = { concurrency: 16, timeoutMs: 300_000 };
    const request = { ...defaultRequest, policy: cautious, limits };
    return endOf(await deploy(world, chosen, [], request));
  } catch (error) {
    const code = reportFailure(error, stream, { changed: "nothing" });
    return { code, text, kept: [] };
  }
}

function endOf(outcome: DeployOutcome): RunEnd {
  if (outcome.type === "superseded") throw new Error("These deployments have no commits");
  const { result } = outcome;
  const kept = result.results.filter(({ outcome }) => outcome === "kept").map(({ key }) => key);
  if (result.succeeded) return { code: exitCode.done, text: "", kept };
  const code = result.stopped === "cancelled" ? exitCode.interrupted : exitCode.user;
  return { code, text: describeFailures(result), kept };
}

function hung(timer: AbortSignal): Promise<RunEnd> {
  return new Promise((resolve) => {
    timer.addEventListener("abort", () =>
      resolve({ code: -1, text: `It had not ended after ${longestRun / 1000} s.`, kept: [] }),
    );
  });
}

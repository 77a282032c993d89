import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiProxy } from "../support/servers/api-proxy.ts";
import type { Chance } from "./chance.ts";
import { type Disturbance, ruleOf } from "./disturbances.ts";
import { environmentOf, type ProgramPlace, type Ran, startProgram } from "./program.ts";
import { objectsOf, type Version } from "./versions.ts";

/** A deployment `demo` of plain manifests in its own namespace. */
export interface App {
  readonly namespace: string;
  readonly directory: string;
  declare(version: Version): void;
  /** Runs qvs behind a proxy, with a disturbance or undisturbed. */
  run(args: readonly string[], disturbed?: Disturbed): Promise<AppRun>;
}

/** The disturbance of a run, and the means that it can't take itself. */
interface Disturbed {
  readonly disturbance: Disturbance;
  readonly chance: Chance;
  /** Resolves when the program runs again and the API server answers. */
  restart(program: string, awayMs: number): Promise<void>;
}

export interface AppRun extends Ran {
  /** The number of requests. */
  readonly requests: number;
  /** True if the disturbance happened. */
  readonly disturbed: boolean;
  /** True if the disturbance was a SIGINT, after which a run ends in order. */
  readonly interrupted: boolean;
}

interface AppPlace extends ProgramPlace {
  /** The kubeconfig of the user `admin`. */
  readonly kubeconfig: string;
}

export function appIn(namespace: string, place: AppPlace): App {
  const directory = join(mkdtempSync(join(tmpdir(), "soak-app-")), "demo");
  const proxies = mkdtempSync(join(tmpdir(), "soak-proxies-"));
  for (const folder of [".valuestream", "k8s"])
    mkdirSync(join(directory, folder), { recursive: true });
  const config = JSON.stringify({ designPatterns: [{ manifests: "../k8s" }] });
  writeFileSync(join(directory, ".valuestream/qvs.yaml"), config);
  return {
    namespace,
    directory,
    declare: (version) => declareIn(directory, version, namespace),
    run: (args, disturbed) =>
      runBehindProxy({ directory, proxies, place }, [...args, "-n", namespace], disturbed),
  };
}

function declareIn(directory: string, version: Version, namespace: string): void {
  const folder = join(directory, "k8s");
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  for (const object of objectsOf(version, namespace)) {
    const file = `${object.kind}-${object.metadata.name}.yaml`.toLowerCase();
    writeFileSync(join(folder, file), JSON.stringify(object, null, 2));
  }
}

interface RunPlace {
  readonly directory: string;
  /** The directory for kubeconfigs of proxies. */
  readonly proxies: string;
  readonly place: AppPlace;
}

async function runBehindProxy(
  { directory, proxies, place }: RunPlace,
  args: readonly string[],
  disturbed: Disturbed | undefined,
): Promise<AppRun> {
  const proxy = await startApiProxy(place.kubeconfig, proxies, "soak");
  const running = startProgram(directory, args, {
    ...environmentOf(place),
    KUBECONFIG: proxy.kubeconfig,
  });
  let restarted: Promise<void> | undefined;
  let isReached = false;
  if (disturbed !== undefined) {
    const means = {
      proxy,
      chance: disturbed.chance,
      kill: (signal: NodeJS.Signals) => void running.child.kill(signal),
      restart: (program: string, awayMs: number) => {
        restarted = disturbed.restart(program, awayMs);
        // The run's end is awaited first.
        restarted.catch(() => undefined);
      },
    };
    proxy.setRule(ruleOf(disturbed.disturbance, means, () => (isReached = true)));
  }
  const ran = await running.ended;
  await restarted;
  await proxy.settled();
  await proxy.close();
  const { disturbance } = disturbed ?? {};
  const interrupted = disturbance?.kind === "qvs" && disturbance.signal === "SIGINT" && isReached;
  return { ...ran, requests: proxy.requests.length, disturbed: isReached, interrupted };
}

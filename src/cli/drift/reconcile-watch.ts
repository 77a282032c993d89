import manifest from "../../../package.json" with { type: "json" };
import { installController } from "../../commands/install-controller.ts";
import {
  type ContinuousOptions,
  reconcileContinuously,
} from "../../commands/reconcile-continuously.ts";
import { idleState } from "../../controller/controller.ts";
import type { ControllerEvent } from "../../controller/events.ts";
import { createLog } from "../../controller/log.ts";
import { createMetrics } from "../../controller/metrics.ts";
import type { DeployRequest } from "../../model/deployments/deploy-request.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import { rolesText } from "../../report/roles-text.ts";
import { replicaIdentity } from "../../world/replica-identity.ts";
import { serveHealth } from "../../world/serve-health.ts";
import { printJsonLine, printManifests } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../program/shell.ts";
import { controllerArguments, type WatchFlags } from "./watch-flags.ts";

/**
 * Runs the controller until a signal stops it. It logs one line of JSON for each event on stderr.
 */
export async function runController(
  world: World,
  { env, stderr }: Shell,
  flags: WatchFlags,
  correction: DeployRequest,
): Promise<number> {
  const options = { ...watchOptions(flags, env), correction };
  const now = () => world.clock.now().toISOString();
  const write = (line: object) => printJsonLine(stderr, line);
  let state = () => idleState;
  const metrics = createMetrics(() => state());
  const server = await serveHealth(flags.listen, {
    isReady: () => state().isReady,
    metrics: metrics.text,
    metricsType: metrics.contentType,
  });
  write({ time: now(), level: "info", msg: "listening", address: server.address });
  try {
    const log = createLog(write, now);
    const onEvent = (event: ControllerEvent) => {
      log(event);
      metrics.record(event);
    };
    const controller = await reconcileContinuously(world, { ...options, onEvent });
    state = controller.state;
    await controller.ended;
    return exitCode.done;
  } finally {
    server.close();
  }
}

/**
 * Prints the controller's manifests on stdout. The container's arguments contain the flags of this
 * call, and `timeoutMs` only if it was given.
 */
export async function printInstall(
  world: World,
  { env, stdout }: Shell,
  flags: WatchFlags,
  timeoutMs: number | undefined,
): Promise<number> {
  const { image = `qvs:${manifest.version}` } = flags;
  const options = watchOptions(flags, env);
  const { namespaces, group } = options;
  const args = controllerArguments(flags, { namespaces, group: group.name, timeoutMs });
  const documents = await installController(world, { ...options, image, args });
  printManifests(stdout, rolesText(documents));
  return exitCode.done;
}

function watchOptions(
  flags: WatchFlags,
  env: NodeJS.ProcessEnv,
): Omit<ContinuousOptions, "correction" | "onEvent"> {
  const { context, deployment, resync, workers, leaseDuration, group } = flags;
  const namespaces = selectedNamespaces(flags);
  const ofPod = env.POD_NAMESPACE || undefined;
  const namespace = flags.groupNamespace ?? ofPod ?? namespaces?.[0];
  if (namespace === undefined) {
    throw new UserError([
      {
        code: "invalid-input",
        where: [],
        what: "The namespace of the replicas' Leases isn't set",
        fix: "Set it with --group-namespace",
        otherwise: ["set the variable POD_NAMESPACE to the namespace of the Pod"],
      },
    ]);
  }
  return {
    context,
    deployment,
    namespaces,
    group: { namespace, name: group },
    identity: replicaIdentity(env),
    leaseMs: leaseDuration,
    resyncMs: resync,
    workers,
  };
}

/**
 * Returns the namespaces; undefined for all. It throws a UserError without a flag, because a
 * default could change deployments that no user named.
 */
function selectedNamespaces({ allNamespaces, namespaces, namespace }: WatchFlags) {
  const named = [
    ...new Set([...(namespace === undefined ? [] : [namespace]), ...(namespaces ?? [])]),
  ];
  if (named.length > 0 !== (allNamespaces === true)) return named.length > 0 ? named : undefined;
  throw new UserError([
    { code: "invalid-input", where: [], ...(named.length === 0 ? noNamespaces : allAndSome) },
  ]);
}

const noNamespaces = {
  what: "No namespaces are selected",
  fix: "Add --namespace, --namespaces or --all-namespaces",
};

const allAndSome = {
  what: "--all-namespaces can't be combined with --namespace or --namespaces",
  fix: "Remove --all-namespaces",
  otherwise: ["remove the other flags"],
};

import { type Command, InvalidArgumentError, Option } from "commander";
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
import { parseCount, parseDuration, parseNamespace, parseNamespaces } from "../../inputs/parse.ts";
import type { DeployRequest } from "../../model/deploy-request.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { World } from "../../ports/world.ts";
import { rolesText } from "../../report/roles-text.ts";
import { replicaIdentity } from "../../world/replica-identity.ts";
import { serveHealth } from "../../world/serve-health.ts";
import type { DeploymentOptions } from "../flags/options.ts";
import { requireAnyFlag } from "../flags/require-flags.ts";
import { printJsonLine, printManifests } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { Shell } from "../shell.ts";
import { type ControllerFlags, controllerArguments } from "./controller-arguments.ts";

export interface WatchFlags extends DeploymentOptions, ControllerFlags {
  readonly watch?: boolean;
  readonly printInstall?: boolean;
  readonly image?: string;
  readonly allNamespaces?: boolean;
  readonly namespaces?: readonly string[];
  readonly group: string;
  readonly groupNamespace?: string;
  readonly listen: Address;
}

interface Address {
  /** The host to listen on; undefined for all addresses of the machine. */
  readonly host: string | undefined;
  readonly port: number;
}

export function withWatchOptions(command: Command): Command {
  requireAnyFlag(command, controllerOnlyFlags, ["--watch", "--print-install"]);
  requireAnyFlag(command, ["--listen"], ["--watch"]);
  requireAnyFlag(command, ["--image"], ["--print-install"]);
  return command
    .optionsGroup("Controller:")
    .option("--watch", "run continuously and correct each deployment when it drifts")
    .option(
      "--print-install",
      "print the manifests of the controller: Deployment, roles, PodMonitor",
    )
    .option(
      "--image <reference>",
      "image for --print-install (default: qvs with the version as its tag)",
    )
    .option("-A, --all-namespaces", "correct the deployments of all namespaces")
    .option(
      "--namespaces <names>",
      "correct the deployments of these namespaces, comma-separated (default: that of --namespace)",
      parseNamespaces,
    )
    .addOption(
      new Option("--resync <duration>", "time between checks without a known change")
        .argParser(parseDuration)
        .default(600_000, "10m"),
    )
    .option(
      "--workers <number>",
      "number of deployments to correct at the same time",
      parseCount,
      4,
    )
    .option(
      "--group <name>",
      "name of the group whose replicas share the work",
      parseNamespace,
      "qvs-reconcile",
    )
    .option(
      "--group-namespace <name>",
      "namespace of the replicas' Leases (default: that of the Pod, then that of the deployments)",
      parseNamespace,
    )
    .addOption(
      new Option(
        "--lease-duration <duration>",
        "time after which other replicas take over the work of a dead one",
      )
        .argParser(parseLeaseDuration)
        .default(15_000, "15s"),
    )
    .addOption(
      new Option("--listen <address>", "address of /healthz, /readyz and /metrics")
        .argParser(parseAddress)
        .default({ host: undefined, port: 8080 }, ":8080")
        .conflicts("printInstall"),
    )
    .optionsGroup("Options:");
}

/**
 * The flags that need --watch or --print-install. Without these two, qvs corrects one deployment
 * once.
 */
const controllerOnlyFlags = [
  "--all-namespaces",
  "--namespaces",
  "--resync",
  "--workers",
  "--group",
  "--group-namespace",
  "--lease-duration",
];

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

/**
 * Parses a lease duration. The API counts whole seconds, and frequent renewals of a Lease load the
 * API server.
 */
function parseLeaseDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds >= 3_000) return milliseconds;
  throw new InvalidArgumentError("Write at least 3s.");
}

/** Parses `:8080`, `127.0.0.1:8080` or `[::1]:8080`. Port 0 means any free port. */
function parseAddress(text: string): Address {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]*)):(\d{1,5})$/i.exec(text) ?? [];
  if (port !== undefined && Number(port) <= 65_535) {
    return { host: bracketed ?? (plain || undefined), port: Number(port) };
  }
  throw new InvalidArgumentError(
    "Write an address with a port, for example :8080 or 127.0.0.1:8080.",
  );
}

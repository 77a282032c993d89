import { type Command, InvalidArgumentError, Option } from "commander";
import { parseCount, parseDuration, parseNamespace, parseNamespaces } from "../../inputs/parse.ts";
import { defaultLimits } from "../../model/deployments/deploy-request.ts";
import { type DeploymentOptions, requireAnyFlag } from "../flags/options.ts";

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

/** The flags of `qvs reconcile --print-install` that the controller needs. */
export interface ControllerFlags {
  readonly deployment?: string;
  readonly resync: number;
  readonly workers: number;
  readonly leaseDuration: number;
  readonly allowDelete?: readonly string[];
  readonly allowOutsideNamespace?: boolean;
  readonly allowIrreversible?: boolean;
  readonly conflicts: "fail" | "force";
  readonly overrideFreeze?: string;
  readonly concurrency: number;
  readonly waitForLock: boolean;
  readonly noProgressTimeout?: number;
}

interface ControllerScope {
  /** The namespaces to watch; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly group: string;
  /** The timeout; undefined for the controller's own default. */
  readonly timeoutMs: number | undefined;
}

/** Returns the arguments of the controller's container, which repeat the flags of this call. */
export function controllerArguments(
  flags: ControllerFlags,
  { namespaces, group, timeoutMs }: ControllerScope,
): readonly string[] {
  const { deployment, resync, workers, leaseDuration } = flags;
  return [
    "reconcile",
    "--watch",
    ...(namespaces === undefined ? ["--all-namespaces"] : ["--namespaces", namespaces.join(",")]),
    ...(deployment === undefined ? [] : ["--deployment", deployment]),
    ...["--group", group],
    ...["--resync", seconds(resync), "--workers", String(workers)],
    ...["--lease-duration", seconds(leaseDuration)],
    ...nonDefaultFlags(flags),
    ...(timeoutMs === undefined ? [] : ["--timeout", seconds(timeoutMs)]),
  ];
}

function nonDefaultFlags(flags: ControllerFlags): readonly string[] {
  const { allowDelete = [], allowOutsideNamespace, allowIrreversible, conflicts } = flags;
  const { overrideFreeze, concurrency, waitForLock, noProgressTimeout } = flags;
  return [
    ...(allowDelete.length === 0 ? [] : ["--allow-delete", allowDelete.join(",")]),
    ...(allowOutsideNamespace === true ? ["--allow-outside-namespace"] : []),
    ...(allowIrreversible === true ? ["--allow-irreversible"] : []),
    ...(conflicts === "fail" ? ["--conflicts", "fail"] : []),
    ...(overrideFreeze === undefined ? [] : ["--override-freeze", overrideFreeze]),
    ...(concurrency === defaultLimits.concurrency ? [] : ["--concurrency", String(concurrency)]),
    ...(noProgressTimeout === undefined
      ? []
      : ["--no-progress-timeout", seconds(noProgressTimeout)]),
    ...(waitForLock ? [] : ["--no-wait-for-lock"]),
  ];
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}

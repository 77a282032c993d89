import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../processes/ports.ts";
import { type ProcessGroup, processGroup } from "../processes/process-group.ts";
import type { ProcessRecord } from "../processes/processes.ts";
import { until } from "../processes/until.ts";
import type { ClusterAddress } from "./address.ts";
import { type Binaries, buildTools } from "./build.ts";
import * as components from "./components.ts";
import { writeKubeconfigs, writeServerCertificate, writeServerCredentials } from "./credentials.ts";
import { runKubectl } from "./kubectl.ts";
import type { OtherVersion } from "./kubernetes-versions.ts";
import { nodes } from "./nodes.ts";
import { startRollouts } from "./rollouts.ts";
import { newTokens, type User } from "./users.ts";

export interface ClusterOptions {
  /**
   * The number of simulated nodes. Default: 3. With 0, the caller starts real nodes, and kwok plays
   * only the controllers of other objects.
   */
  readonly nodes?: number;
  /** The number of API servers behind one address. Default: 1. */
  readonly apiServers?: number;
  /**
   * The version of the API server, the controllers and the scheduler. Default: the version of the
   * other programs.
   */
  readonly kubernetes?: OtherVersion | undefined;
  /** Starts Argo Rollouts as well. Default: false. It can also be started later. */
  readonly rollouts?: boolean;
  /** Records writes, or the requests that the policy at this path selects. Default: true. */
  readonly auditLog?: boolean | { readonly policy: string };
  /**
   * The feature gates of the API server and the controllers, such as `Feature=true`. Default: none.
   */
  readonly featureGates?: string;
  /**
   * The directory for data, logs and kubeconfigs. Default: a temporary directory, which `stop`
   * removes.
   */
  readonly directory?: string;
}

export interface RunningCluster extends ClusterAddress {
  readonly processes: readonly ProcessRecord[];
  kubeconfigFor(user: User): string;
  startRollouts(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Lets the control plane continue when this process ends. The caller must stop its processes
   * later.
   */
  detach(): Promise<void>;
}

/** The data of a start that is in progress. */
interface Start extends components.Place {
  readonly options: ClusterOptions;
  readonly group: ProcessGroup;
  readonly address: ClusterAddress;
}

/**
 * Starts a control plane on free loopback ports: etcd, kube-apiserver, kube-controller-manager,
 * kube-scheduler, and kwok instead of kubelets. Resolves when its nodes are ready. Throws a
 * UserError if it can't be built.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RunningCluster> {
  const start = await prepare(options, await buildPrograms(options.kubernetes));
  try {
    await bringUp(start);
  } catch (error) {
    await start.group.stop();
    throw error;
  }
  return {
    ...start.address,
    processes: start.group.processes,
    kubeconfigFor: (user) => components.kubeconfigPath(start.directory, user),
    startRollouts: () => startRollouts(start.address, start.group),
    stop: start.group.stop,
    detach: start.group.detach,
  };
}

async function buildPrograms(version: OtherVersion | undefined): Promise<Binaries> {
  const programs = await buildTools("control-plane");
  if (version === undefined) return programs;
  const servers = await buildTools(`kubernetes-${version}`);
  const isServer = (program: string) => program.startsWith("kube-");
  return { ...programs, path: (name) => (isServer(name) ? servers : programs).path(name) };
}

async function prepare(options: ClusterOptions, binaries: Binaries): Promise<Start> {
  const temporary = options.directory === undefined;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "qvs-cluster-")));
  await mkdir(join(directory, "kubeconfigs"), { recursive: true });
  const { apiServers = 1 } = options;
  const [etcd = 0, etcdPeer = 0, server = 0, ...more] = await freePorts(3 + apiServers);
  const servers = apiServers === 1 ? [server] : more;
  return {
    options,
    directory,
    binaries,
    featureGates: options.featureGates,
    ports: { etcd, etcdPeer, server, servers },
    group: processGroup({ directory, temporary }),
    address: {
      directory,
      server: `https://127.0.0.1:${server}`,
      kubeconfig: components.kubeconfigPath(directory, "admin"),
      kubectl: binaries.path("kubectl"),
      auditLog: join(directory, "audit.log"),
    },
  };
}

async function bringUp(start: Start): Promise<void> {
  const tokens = newTokens();
  await writeServerCredentials(start.directory, tokens);
  await writeServerCertificate(start.directory);
  await run(start, components.etcd(start));
  for (const [number, port] of start.ports.servers.entries()) {
    await run(start, components.apiServer(start, start.options.auditLog ?? true, number));
    const server = `https://127.0.0.1:${port}`;
    await until("kube-apiserver was not ready", () => isReady(server), start.group);
  }
  if (start.ports.servers.length > 1) {
    await run(start, components.balancer(start));
    await until("the balancer was not ready", () => isReady(start.address.server), start.group);
  }
  await writeKubeconfigs(start.address, tokens);
  await Promise.all([
    run(start, components.controllerManager(start)),
    run(start, components.scheduler(start)),
    populate(start),
  ]);
  const simulatesNodes = start.options.nodes !== 0;
  await run(start, components.kwok(start, await stageFiles(), simulatesNodes));
  if (simulatesNodes)
    await kubectl(start, ["wait", "--for=condition=Ready", "nodes", "--all", "--timeout=600s"]);
  if (start.options.rollouts) await startRollouts(start.address, start.group);
}

function run(start: Start, { name, program, args }: components.Component): Promise<void> {
  return start.group.start(name, program, args);
}

/**
 * Reports whether the API server is ready. It sends no secret, so it doesn't verify the new
 * certificate.
 */
function isReady(server: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      `${server}/readyz`,
      { rejectUnauthorized: false, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on("error", () => resolve(false));
  });
}

/**
 * Creates the objects that kwok needs at its start. kwok ends if a stage refers to a kind that
 * doesn't exist.
 */
async function populate(start: Start): Promise<void> {
  const nodeFile = join(start.directory, "nodes.json");
  await writeFile(nodeFile, JSON.stringify(nodes(start.options.nodes ?? 3)));
  const folders = ["setup", "crds"].map((folder) => join(import.meta.dirname, folder));
  const files = [nodeFile, ...folders].flatMap((file) => ["-f", file]);
  await kubectl(start, ["apply", "--server-side", ...files]);
  await kubectl(start, ["wait", "--for=condition=Established", "crds", "--all", "--timeout=600s"]);
}

function kubectl(start: Start, args: readonly string[]): Promise<string> {
  return runKubectl(args, { ...start.address });
}

async function stageFiles(): Promise<readonly string[]> {
  const folder = join(import.meta.dirname, "stages");
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith(".yaml")).map((file) => join(folder, file));
}

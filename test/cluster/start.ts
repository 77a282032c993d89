import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterAddress } from "./address.ts";
import { type Binaries, buildTools } from "./build.ts";
import * as components from "./components.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { runKubectl } from "./kubectl.ts";
import { nodes } from "./nodes.ts";
import { freePorts } from "./ports.ts";
import { type ProcessGroup, processGroup } from "./process-group.ts";
import type { ProcessRecord } from "./processes.ts";
import { startRollouts } from "./rollouts.ts";
import { newTokens, type Tokens, tokenFile, type User, users } from "./users.ts";

export interface ClusterOptions {
  /** How many nodes; 3 by default. */
  readonly nodes?: number;
  /** Start Argo Rollouts as well; false by default. It can be started later. */
  readonly rollouts?: boolean;
  /** Record writes; true by default. */
  readonly auditLog?: boolean;
  /** Install the CustomResourceDefinitions in crds/; true by default. */
  readonly crds?: boolean;
  /** Where to keep data, logs and kubeconfigs. By default a temporary folder, which `stop` removes. */
  readonly directory?: string;
  /** Go on when this process ends; false by default. Then someone else must stop the processes. */
  readonly detached?: boolean;
}

export interface RunningCluster extends ClusterAddress {
  readonly processes: readonly ProcessRecord[];
  kubeconfigFor(user: User): string;
  startRollouts(): Promise<void>;
  stop(): Promise<void>;
}

/** The data of a start under way. */
interface Start extends components.Place {
  readonly options: ClusterOptions;
  readonly group: ProcessGroup;
  readonly address: ClusterAddress;
}

/** Longer than any start that succeeds, even on a busy machine. */
const readyMilliseconds = 120_000;

/**
 * A control plane on free loopback ports: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok in
 * the place of kubelets. Resolves when its nodes are ready. Throws a UserError when it can't be built.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RunningCluster> {
  const start = await prepare(options, await buildTools("control-plane"));
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
  };
}

async function prepare(options: ClusterOptions, binaries: Binaries): Promise<Start> {
  const { detached = false } = options;
  const temporary = options.directory === undefined;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "qvs-cluster-")));
  await mkdir(join(directory, "kubeconfigs"), { recursive: true });
  const [etcd = 0, etcdPeer = 0, server = 0] = await freePorts(3);
  return {
    options,
    directory,
    binaries,
    ports: { etcd, etcdPeer, server },
    group: processGroup({ directory, detached, temporary }),
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
  await writeSecrets(start.directory, tokens);
  await run(start, components.etcd(start));
  await run(start, components.apiServer(start, start.options.auditLog ?? true));
  await until(start, "kube-apiserver", () => isReady(start.address.server));
  await writeKubeconfigs(start, tokens);
  await Promise.all([
    run(start, components.controllerManager(start)),
    run(start, components.scheduler(start)),
    populate(start),
  ]);
  await run(start, components.kwok(start, await stageFiles()));
  await kubectl(start, ["wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s"]);
  if (start.options.rollouts) await startRollouts(start.address, start.group);
}

function run(start: Start, { name, program, args }: components.Component): Promise<void> {
  return start.group.start(name, program, args);
}

async function writeSecrets(directory: string, tokens: Tokens): Promise<void> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(directory, "service-accounts.pem"), key, { mode: 0o600 });
  await writeFile(join(directory, "tokens.csv"), tokenFile(tokens), { mode: 0o600 });
}

async function until(start: Start, what: string, done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readyMilliseconds;
  while (!(await done())) {
    await start.group.requireAlive();
    if (Date.now() > deadline) {
      throw new Error(`${what} was not ready in time; see the logs in ${start.directory}`);
    }
    await sleep(50);
  }
}

/** Only asks whether the server answers, so there is nothing to protect by checking its new certificate. */
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

async function writeKubeconfigs(start: Start, tokens: Tokens): Promise<void> {
  const authority = await readFile(join(start.directory, "certificates", "apiserver.crt"), "utf8");
  for (const user of users) {
    const content = kubeconfig(start.address.server, authority, tokens[user] ?? "");
    const path = components.kubeconfigPath(start.directory, user);
    await writeFile(path, content, { mode: 0o600 });
  }
}

/** What kwok must find when it starts: it doesn't see custom resources that are defined later. */
async function populate(start: Start): Promise<void> {
  const nodeFile = join(start.directory, "nodes.json");
  await writeFile(nodeFile, JSON.stringify(nodes(start.options.nodes ?? 3)));
  const setup = join(import.meta.dirname, "setup");
  const crds = (start.options.crds ?? true) ? ["-f", join(import.meta.dirname, "crds")] : [];
  await kubectl(start, ["apply", "--server-side", "-f", setup, "-f", nodeFile, ...crds]);
  if (crds.length > 0)
    await kubectl(start, ["wait", "--for=condition=Established", "crds", "--all"]);
}

function kubectl(start: Start, args: readonly string[]): Promise<string> {
  return runKubectl(args, { ...start.address });
}

async function stageFiles(): Promise<readonly string[]> {
  const folder = join(import.meta.dirname, "stages");
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith(".yaml")).map((file) => join(folder, file));
}

import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestCluster } from "../cluster/use-cluster.ts";
import type { User } from "../cluster/users.ts";
import { type TemporaryRepository, temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, type RunningQvs, runQvs, startQvs } from "../qvs/run-qvs.ts";

/** The example shop in its own repository and namespace. */
export interface Shop extends TemporaryRepository {
  readonly namespace: string;
  /** Runs qvs on the shop as `admin`. */
  qvs(command: string, ...args: readonly string[]): Promise<QvsResult>;
  qvsAs(user: User, command: string, ...args: readonly string[]): Promise<QvsResult>;
  start(command: string, ...args: readonly string[]): RunningQvs;
  /** Returns qvs's writes since the last call, except for releases and the deployment lock. */
  writes(): Promise<readonly string[]>;
  /** Returns the releases, oldest first, as `revision status`. */
  records(): Promise<readonly string[]>;
  /** Returns the sorted names of the objects of a kind. */
  names(kind: string): Promise<readonly string[]>;
}

const example = join(import.meta.dirname, "../../../examples/shop");
const web = "adapters/web/main.cue";
const settings = ".valuestream/params/common.yaml";

export async function shopIn(cluster: TestCluster, namespace?: string): Promise<Shop> {
  const place = namespace ?? (await cluster.namespace("shop"));
  const repository = temporaryRepository({});
  cpSync(example, repository.directory, { recursive: true });
  const flags = ["-d", "shop-staging", "-n", place, "--param", `namespace=${place}`];
  const env = (user: User) => ({ KUBECONFIG: cluster.kubeconfigFor(user) });
  const argv = (command: string, args: readonly string[]) => [
    command,
    ...(["rollback", "drift"].includes(command) ? flags.slice(0, 4) : flags),
    ...args,
  ];
  let seen = 0;
  return {
    ...repository,
    namespace: place,
    qvs: (command, ...args) => runQvs(repository.directory, argv(command, args), env("admin")),
    qvsAs: (user, command, ...args) => runQvs(repository.directory, argv(command, args), env(user)),
    start: (command, ...args) => startQvs(repository.directory, argv(command, args), env("admin")),
    async writes() {
      const all = await cluster.auditWrites(place);
      const since = all.slice(seen);
      seen = all.length;
      return since.filter((write) => !isRecord(write));
    },
    async records() {
      const columns =
        "R:.metadata.labels.vs\\.axis-dev\\.io/revision,S:.metadata.labels.vs\\.axis-dev\\.io/status";
      const args = ["get", "secrets", "-n", place, "-l", "vs.axis-dev.io/deployment=shop-staging"];
      const table = await cluster.kubectl(
        ...args,
        "--no-headers",
        "-o",
        `custom-columns=${columns}`,
      );
      const lines = table
        .trim()
        .split("\n")
        .map((line) => line.trim().replace(/ +/, " "));
      return lines.filter((line) => line !== "").sort((a, b) => parseInt(a, 10) - parseInt(b, 10));
    },
    async names(kind) {
      const names = await cluster.kubectl("get", kind, "-n", place, "-o", "name");
      return names
        .split("\n")
        .filter((name) => name !== "")
        .map((name) => name.replace(/.*\//, ""))
        .sort();
    },
  };
}

/**
 * Makes new Pods of the web application wait until `letPodsGo`, so that a test controls their
 * timing.
 */
export function holdPods(shop: Shop): void {
  shop.change(
    web,
    "template: {\n",
    `template: {\n\t\t\t\t\tmetadata: annotations: "${behaviour}": "held"\n`,
  );
}

/** Lets all waiting Pods continue until a deployment has ended. */
export async function letPodsGo<T>(
  { namespace }: Shop,
  cluster: TestCluster,
  result: Promise<T>,
): Promise<T> {
  let isOpen = true;
  const ended = result.finally(() => {
    isOpen = false;
  });
  while (isOpen) {
    // A Pod can disappear at the same time.
    await cluster.kubectlOutput(
      ["annotate", "pods", "--all", "-n", namespace, `${behaviour}-`],
      "",
    );
    await Promise.race([ended, sleep(500)]);
  }
  return ended;
}

const behaviour = "test.qvs/behaviour";

/** Changes the greeting, which gives the ConfigMap a new name. */
export function greet(shop: Shop, from: string, to: string): void {
  shop.change(settings, from, to);
}

export function useVersion(shop: Shop, from: string, to: string): void {
  shop.change(settings, `value: ${from}`, `value: ${to}`);
}

function isRecord(write: string): boolean {
  return / (Secret \S+\/qvs\.|Lease )/.test(write);
}

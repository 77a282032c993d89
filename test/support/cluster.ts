import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import type { ClusterAddress } from "../cluster/address.ts";
import { type Kinds, type Reach, writesIn } from "../cluster/audit.ts";
import { kubeconfigPath } from "../cluster/components.ts";
import { runKubectl } from "../cluster/kubectl.ts";
import type { User } from "../cluster/users.ts";
// For its declaration of what `inject` knows.
import type {} from "./global-cluster.ts";

/** The control plane that all system tests share. Tests keep apart by namespaces. */
export interface TestCluster extends Omit<ClusterAddress, "kubectl"> {
  /** A new namespace with a random name, ready for Pods. It goes with the control plane. */
  namespace(prefix?: string): Promise<string>;
  /** Runs kubectl as the user `kubectl`; its standard output. Rejects with its messages. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Runs kubectl with an input; whatever it says, also where it fails. */
  kubectlSays(args: readonly string[], input: string): Promise<string>;
  /** `kubectl apply` of YAML documents into a namespace. */
  apply(namespace: string, yaml: string): Promise<void>;
  /** Runs kubectl as another user. */
  kubectlAs(user: User, ...args: readonly string[]): Promise<string>;
  kubeconfigFor(user: User): string;
  /** What a user changed in a namespace so far, by default the program under test: see `writesIn`. */
  auditWrites(namespace: string, user?: User, reach?: Reach): Promise<readonly string[]>;
  /** The whole audit log, complete up to now. */
  auditLogSoFar(): Promise<string>;
}

/** To be called at the top of a test file. */
export function useCluster(): TestCluster {
  return clusterAt(inject("cluster"));
}

/** Any control plane that a test has started. */
export function clusterAt(address: ClusterAddress): TestCluster {
  const kinds = new Map<string, string>();
  const kubectlAs = (user: User, ...args: readonly string[]) =>
    runKubectl(args, { ...address, user });
  return {
    ...address,
    kubectlAs,
    kubectl: (...args) => kubectlAs("kubectl", ...args),
    kubectlSays: (args, input) => runKubectl(args, { ...address, input }).catch(String),
    apply: (namespace, yaml) => apply(address, namespace, yaml),
    namespace: (prefix = "test") => createNamespace(address, prefix),
    kubeconfigFor: (user) => kubeconfigPath(address.directory, user),
    async auditWrites(namespace, user = "admin", reach = "within") {
      // A kind may be gone by now whose objects were written.
      for (const [resource, kind] of await knownKinds(address)) kinds.set(resource, kind);
      return writesIn(await completeLog(address), namespace, user, kinds, reach);
    },
    auditLogSoFar: () => completeLog(address),
  };
}

async function apply(address: ClusterAddress, namespace: string, input: string): Promise<void> {
  await runKubectl(["apply", "-n", namespace, "-f", "-"], { ...address, input });
}

/** A Pod is refused until its namespace has the default ServiceAccount, which a controller makes a little later. */
async function createNamespace(address: ClusterAddress, prefix: string): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  await runKubectl(["create", "namespace", name], address);
  const wait = ["wait", "--for=create", "serviceaccount/default", "--timeout=600s"];
  await runKubectl([...wait, "-n", name], address);
  return name;
}

/** An event is logged just after its answer was sent, so a later write of our own tells when the log is complete. */
async function completeLog(address: ClusterAddress): Promise<string> {
  const marker = `marker-${randomBytes(6).toString("hex")}`;
  await runKubectl(["create", "configmap", marker, "--dry-run=server"], address);
  for (;;) {
    const log = await readFile(address.auditLog, "utf8");
    if (log.includes(marker)) return log;
    await sleep(20);
  }
}

async function knownKinds(address: ClusterAddress): Promise<Kinds> {
  const list = JSON.parse(await runKubectl(["api-resources", "--output=json"], address));
  const resources: readonly { name: string; group?: string; kind: string }[] = list.resources;
  return new Map(
    resources.map(({ name, group, kind }) => [[name, group].filter(Boolean).join("."), kind]),
  );
}

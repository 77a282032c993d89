import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import type { ClusterAddress } from "../cluster/address.ts";
import { ask } from "../cluster/api/ask.ts";
import { type AuditLog, auditLogFromNow } from "../cluster/api/audit-log.ts";
import { knownKinds } from "../cluster/api/known-kinds.ts";
import { type Reach, writesIn } from "../cluster/audit.ts";
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
  /** The audit log since this was set up, complete up to now. */
  auditLogSoFar(): Promise<string>;
}

/** To be called at the top of a test file. */
export function useCluster(): TestCluster {
  return clusterAt(inject("cluster"));
}

/** Any control plane that a test has started. */
export function clusterAt(address: ClusterAddress): TestCluster {
  const kinds = new Map<string, string>();
  const log = auditLogFromNow(address.auditLog);
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
      await completeLog(address, log);
      return writesIn(log.linesWith(namespace), namespace, user, kinds, reach);
    },
    async auditLogSoFar() {
      await completeLog(address, log);
      return log.text();
    },
  };
}

async function apply(address: ClusterAddress, namespace: string, input: string): Promise<void> {
  await runKubectl(["apply", "-n", namespace, "-f", "-"], { ...address, input });
}

/** A Pod is refused until its namespace has the default ServiceAccount, which a controller makes a little later. */
async function createNamespace(address: ClusterAddress, prefix: string): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await ask(address, "/api/v1/namespaces?fieldManager=kubectl-create", { method: "POST", body });
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  while (!(await ask(address, accounts)).includes('"default"')) await sleep(50);
  return name;
}

/** An event is logged just after its answer was sent, so a later write of our own tells when the log is complete. */
async function completeLog(address: ClusterAddress, log: AuditLog): Promise<void> {
  const since = log.parts();
  const name = `marker-${randomBytes(6).toString("hex")}`;
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
  await ask(address, path, { method: "POST", body });
  // Another call may read it first.
  while (!log.has(name, since)) await sleep(20);
}

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, inject } from "vitest";
// Declares the type of `inject`.
import type {} from "../global-cluster.ts";
import type { ClusterAddress } from "./address.ts";
import { ask } from "./api/ask.ts";
import { type AuditLog, auditLogFromNow } from "./api/audit-log.ts";
import { knownKinds } from "./api/known-kinds.ts";
import { type Reach, writesIn } from "./audit.ts";
import { removeAutoscalers } from "./autoscalers.ts";
import { kubeconfigPath } from "./components.ts";
import { runKubectl } from "./kubectl.ts";
import type { User } from "./users.ts";

/** The control plane that all system tests share. Each test has its own namespaces. */
export interface TestCluster extends Omit<ClusterAddress, "kubectl"> {
  /**
   * Creates a namespace with a random name, ready for Pods. It exists until the control plane
   * stops.
   */
  namespace(prefix?: string): Promise<string>;
  /**
   * Runs kubectl as the user `kubectl` and returns its standard output. Rejects with its messages.
   */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Runs kubectl with an input and returns its output, even if it fails. */
  kubectlOutput(args: readonly string[], input: string): Promise<string>;
  /** Applies YAML documents to a namespace with `kubectl apply`. */
  apply(namespace: string, yaml: string): Promise<void>;
  /** Runs kubectl as another user. */
  kubectlAs(user: User, ...args: readonly string[]): Promise<string>;
  kubeconfigFor(user: User): string;
  /**
   * Returns the changes by a user in a namespace so far, by default by the tested program. See
   * `writesIn`.
   */
  auditWrites(namespace: string, user?: User, reach?: Reach): Promise<readonly string[]>;
  /** Returns the complete audit log since the setup. */
  auditLogSoFar(): Promise<string>;
}

/** Returns the shared control plane. A test file calls it at its top. */
export function useCluster(): TestCluster {
  const cluster = clusterAt(inject("cluster"));
  const namespaces = new Set<string>();
  afterAll(() => removeAutoscalers(cluster, namespaces));
  return {
    ...cluster,
    async namespace(prefix) {
      const name = await cluster.namespace(prefix);
      namespaces.add(name);
      return name;
    },
  };
}

/** Returns a client for a control plane that a test has started. */
export function clusterAt(address: ClusterAddress): TestCluster {
  const kinds = new Map<string, string>();
  const log = auditLogFromNow(address.auditLog);
  const kubectlAs = (user: User, ...args: readonly string[]) =>
    runKubectl(args, { ...address, user });
  return {
    ...address,
    kubectlAs,
    kubectl: (...args) => kubectlAs("kubectl", ...args),
    kubectlOutput: (args, input) => runKubectl(args, { ...address, input }).catch(String),
    apply: (namespace, yaml) => apply(address, namespace, yaml),
    namespace: (prefix = "test") => createNamespace(address, prefix),
    kubeconfigFor: (user) => kubeconfigPath(address.directory, user),
    async auditWrites(namespace, user = "admin", reach = "within") {
      // The kind of a written object might no longer exist now.
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

/**
 * Creates a namespace and waits for its default ServiceAccount.
 * A controller creates it a little later, and the API server rejects Pods until then.
 */
async function createNamespace(address: ClusterAddress, prefix: string): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await ask(address, "/api/v1/namespaces?fieldManager=kubectl-create", { method: "POST", body });
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  while (!(await ask(address, accounts)).includes('"default"')) await sleep(50);
  return name;
}

/**
 * Waits until the audit log is complete.
 * The API server logs an event just after its answer, so the log is complete when it contains a
 * later write.
 */
async function completeLog(address: ClusterAddress, log: AuditLog): Promise<void> {
  const since = log.parts();
  const name = `marker-${randomBytes(6).toString("hex")}`;
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
  await ask(address, path, { method: "POST", body });
  // Another call might read it first.
  while (!log.has(name, since)) await sleep(20);
}

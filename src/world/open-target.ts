import { hostname, userInfo } from "node:os";
import { type OpenCluster, openCluster } from "../io/kubernetes/cluster.ts";
import { type ConnectOptions, connect } from "../io/kubernetes/kubeconfig/connect.ts";
import { acquireLock, type LockRequest, tryLock } from "../io/kubernetes/lease/acquire-lock.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { TargetCluster } from "../ports/world.ts";

export interface TargetOptions extends ConnectOptions {
  readonly clock: Clock;
  /** The identity of the deploying run, which other users see; undefined outside of CI. */
  readonly run: string | undefined;
}

/** A target whose connections can be closed. */
export interface OpenTarget extends TargetCluster {
  hasWritten(): boolean;
  hasChanged(): boolean;
  close(): void;
}

/**
 * Opens the cluster of one kubeconfig context, with its deployment lock.
 * Throws a UserError if the context doesn't exist.
 */
export async function openTarget(options: TargetOptions): Promise<OpenTarget> {
  const connection = await connect(options);
  const cluster = openCluster(connection);
  const holder = options.run ?? `${userName()}@${hostname()}`;
  return {
    cluster,
    namespace: connection.namespace,
    lock: (lock) =>
      lockDeployment(cluster, {
        ...lock,
        holder: `${holder} (pid ${process.pid})`,
        clock: options.clock,
      }),
    dryRunLock: (lock) => tryLock(cluster, { ...lock, holder, clock: options.clock }),
    hasWritten: cluster.hasWritten,
    hasChanged: cluster.hasChanged,
    close: () => cluster.close(),
  };
}

/** Returns the name of the user. In a Pod, a user can have a uid without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/**
 * Takes the deployment lock and returns it with a cluster that writes only while the lock is held.
 */
export async function lockDeployment(
  cluster: OpenCluster,
  request: LockRequest,
): Promise<DeploymentLock> {
  const { isHeld, ...lock } = await acquireLock(cluster, request);
  return { ...lock, cluster: cluster.guarded(() => (isHeld() ? undefined : lockIsLost)) };
}

const lockIsLost =
  "the request wasn't sent: this run lost the deployment lock, and another run might be deploying";

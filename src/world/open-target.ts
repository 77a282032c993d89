import { hostname, userInfo } from "node:os";
import { type OpenCluster, openCluster } from "../io/kubernetes/cluster.ts";
import { type ConnectOptions, connect } from "../io/kubernetes/kubeconfig.ts";
import { acquireLock, type LockRequest, tryLock } from "../io/kubernetes/lease.ts";
import type { Clock } from "../ports/clock.ts";
import type { DeploymentLock } from "../ports/kubernetes.ts";
import type { Target } from "../ports/world.ts";

export interface TargetOptions extends ConnectOptions {
  readonly clock: Clock;
  /** The run that deploys, for others to see; undefined outside of CI. */
  readonly run: string | undefined;
}

/** A target whose connections can be closed. */
export interface OpenTarget extends Target {
  hasWritten(): boolean;
  hasChanged(): boolean;
  close(): void;
}

/** The cluster of one kubeconfig context, and the lock in it. Throws a UserError when there is no such context. */
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
    tryLock: (lock) => tryLock(cluster, { ...lock, holder, clock: options.clock }),
    hasWritten: cluster.hasWritten,
    hasChanged: cluster.hasChanged,
    close: () => cluster.close(),
  };
}

/** In a Pod the user may have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/** Takes the lock of a deployment, and gives with it the cluster that only its holder may write to. */
export async function lockDeployment(
  cluster: OpenCluster,
  request: LockRequest,
): Promise<DeploymentLock> {
  const { isHeld, ...lock } = await acquireLock(cluster, request);
  return { ...lock, cluster: cluster.guarded(() => (isHeld() ? undefined : lockIsLost)) };
}

const lockIsLost = "it was not sent: this run has lost its lock, and another one may be deploying";

import { hostname, userInfo } from "node:os";
import {
  type OpenCluster,
  openCluster,
  openSharedSockets,
  type SharedConnection,
} from "../io/kubernetes/cluster.ts";
import { type ConnectOptions, connect } from "../io/kubernetes/kubeconfig/connect.ts";
import { acquireLock, type LockRequest, tryLock } from "../io/kubernetes/lease/acquire-lock.ts";
import { createSharedAnswers } from "../io/kubernetes/shared-answers.ts";
import type { Connection } from "../io/kubernetes/transport/connection.ts";
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

/** Opens targets of one run. Those with the same context share their login and their sockets. */
export interface TargetOpener {
  /** Throws a UserError if the context doesn't exist. */
  open(context: string | undefined): Promise<OpenTarget>;
  close(): void;
}

/**
 * Returns the opener of a run. A run with hundreds of deployments would otherwise start the
 * credential plugin and TLS for each of them, and keep all of their sockets.
 */
export function createTargetOpener(options: Omit<TargetOptions, "context">): TargetOpener {
  const logins = new Map<string | undefined, Promise<SharedLogin>>();
  const opened: SharedLogin[] = [];
  const openLogin = async (context: string | undefined): Promise<SharedLogin> => {
    const connection = await connect({ ...options, context });
    const shared = { sockets: openSharedSockets(connection), answers: createSharedAnswers() };
    const login = { connection, shared };
    opened.push(login);
    return login;
  };
  return {
    async open(context) {
      const login = logins.get(context) ?? openLogin(context);
      logins.set(context, login);
      // A failed login, such as that of a plugin, can succeed for the next deployment.
      login.catch(() => logins.delete(context));
      return targetThrough(await login, options);
    },
    close: () => {
      for (const { shared } of opened) shared.sockets.agent.destroy();
    },
  };
}

interface SharedLogin extends ClusterLogin {
  readonly shared: SharedConnection;
}

/** The login to a cluster, with its sockets and answers. */
interface ClusterLogin {
  readonly connection: Connection;
  /** Undefined for sockets that only one target uses. */
  readonly shared: SharedConnection | undefined;
}

/**
 * Opens the cluster of one kubeconfig context, with its deployment lock.
 * Throws a UserError if the context doesn't exist.
 */
export async function openTarget(options: TargetOptions): Promise<OpenTarget> {
  return targetThrough({ connection: await connect(options), shared: undefined }, options);
}

function targetThrough(
  { connection, shared }: ClusterLogin,
  { run, clock }: Pick<TargetOptions, "run" | "clock">,
): OpenTarget {
  const cluster = openCluster(connection, undefined, undefined, shared);
  const holder = run ?? `${userName()}@${hostname()}`;
  return {
    cluster,
    namespace: connection.namespace,
    lock: (lock) =>
      lockDeployment(cluster, { ...lock, holder: `${holder} (pid ${process.pid})`, clock }),
    dryRunLock: (lock) => tryLock(cluster, { ...lock, holder, clock }),
    hasWritten: cluster.hasWritten,
    hasChanged: cluster.hasChanged,
    close: cluster.close,
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

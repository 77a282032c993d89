import { hostname, userInfo } from "node:os";
import type { Target } from "./commands/world.ts";
import { openCluster } from "./io/kubernetes/cluster.ts";
import { type ConnectOptions, connect } from "./io/kubernetes/kubeconfig.ts";
import { lockDeployment } from "./io/kubernetes/lock-deployment.ts";
import type { Clock } from "./ports.ts";

export interface TargetOptions extends ConnectOptions {
  readonly clock: Clock;
  /** The run that deploys, for others to see; undefined outside of CI. */
  readonly run: string | undefined;
}

/** A target whose connections can be closed. */
export interface OpenTarget extends Target {
  close(): void;
}

/** The cluster of one kubeconfig context, and the lock in it. Throws a UserError when there is no such context. */
export async function openTarget(options: TargetOptions): Promise<OpenTarget> {
  const cluster = openCluster(await connect(options));
  const holder = options.run ?? `${userInfo().username}@${hostname()}`;
  return {
    cluster,
    lock: (lock) =>
      lockDeployment(cluster, {
        ...lock,
        holder: `${holder} (pid ${process.pid})`,
        clock: options.clock,
      }),
    close: () => cluster.close(),
  };
}

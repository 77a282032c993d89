/** How to reach a control plane. Plain data: it may be handed to another process. */
export interface ClusterAddress {
  /** Where its logs, kubeconfigs and data are. */
  readonly directory: string;
  readonly server: string;
  /** Of the user `admin`. */
  readonly kubeconfig: string;
  /** The kubectl that was built with it. */
  readonly kubectl: string;
  /** JSON lines, one per write. */
  readonly auditLog: string;
}

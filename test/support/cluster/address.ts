/** The address of a control plane. It is plain data, so it can be passed to another process. */
export interface ClusterAddress {
  /** The directory with its logs, kubeconfigs and data. */
  readonly directory: string;
  readonly server: string;
  /** The kubeconfig of the user `admin`. */
  readonly kubeconfig: string;
  /** The path of the kubectl that was built with it. */
  readonly kubectl: string;
  /** The path of the audit log: JSON lines, one per write. */
  readonly auditLog: string;
}

/** The comparison of a deployment with another version of Kubernetes. */
export interface VersionCheck {
  /** The other version, such as "1.37". */
  readonly version: string;
  /** The version of the API server, such as "1.36"; undefined if it couldn't be read. */
  readonly server?: string | undefined;
  /** The current release that was checked, too; undefined if there is none. */
  readonly release?: number | undefined;
  /** True if qvs couldn't read the releases, so that it didn't check the current one. */
  readonly isReleaseUnread?: boolean | undefined;
  /** The number of findings about the other version that no annotation allows. */
  readonly findings: number;
}

import { type Json, textAt } from "../../json.ts";

/** The version of an API server, such as 1.36. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** The whole version, such as `v1.36.4-gke.1`, which charts see; undefined if it isn't known. */
  readonly full?: string | undefined;
}

/** The version that qvs assumes if the API server doesn't show its version. */
export const assumedVersion: ServerVersion = { major: 1, minor: 36 };

/**
 * Reads the answer of `/version`; undefined if it contains no version. Providers add a suffix to
 * the minor number, such as `32+`.
 */
export function readServerVersion(answer: Json | undefined): ServerVersion | undefined {
  const given = textAt(answer, "gitVersion") ?? "";
  const [, major, minor] =
    /^v(\d+)\.(\d+)\b/.exec(given) ??
    /^(\d+)\.(\d+)\+?$/.exec(`${textAt(answer, "major")}.${textAt(answer, "minor")}`) ??
    [];
  if (minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), full: given === "" ? undefined : given };
}

export function formatServerVersion({ major, minor }: ServerVersion): string {
  return `${major}.${minor}`;
}

/** A behavior that only some of the supported versions of Kubernetes have by default. */
interface VersionFact {
  /** The first minor version with the behavior. */
  readonly since: number;
  /** The last minor version with the behavior; undefined if newer ones have it, too. */
  readonly until?: number;
  /** The behavior, for the documentation. */
  readonly text: string;
  /** The place in the sources of Kubernetes that shows the versions. */
  readonly source: string;
}

/**
 * The differences between the supported versions that decide predictions, in addition to the fields
 * in `gated-fields.ts`. The table knows only the default feature gates: nothing shows the gates of
 * a server to an ordinary identity.
 */
export const versionFacts = {
  podLevelDefaultsAfterLimitRanges: {
    since: 37,
    text: "Missing values of a Pod's `spec.resources` are filled in after the LimitRanges",
    source: "PodLevelResourcesFixDefaulting in pkg/features/kube_features.go",
  },
  selectorsOfPendingPodsMatchNoLabels: {
    since: 34,
    until: 36,
    text: "A `namespaceSelector` that matches no labels selects all namespaces for pending Pods",
    source: "mergeAffinityTermNamespacesIfNotEmpty in the scheduler's plugin interpodaffinity",
  },
  integerFormats: {
    since: 36,
    text: "The API server checks `format: int32` of custom resources",
    source: "StripUnsupportedFormatsPostProcessorForVersion in apiextensions-apiserver",
  },
  statefulSetsChangeHistoryLimit: {
    since: 33,
    text: "The API server accepts another `revisionHistoryLimit` of a StatefulSet",
    source: "ValidateStatefulSetUpdate in pkg/apis/apps/validation",
  },
  suspendedJobsChangePods: {
    since: 36,
    text: "A suspended Job that ran before can change the resources and the placement of its Pods",
    source: "shouldAllowMutablePodTemplate in pkg/registry/batch/job/strategy.go",
  },
  claimsLoseUnusedClasses: {
    since: 34,
    text: "A PersistentVolumeClaim can lose a `volumeAttributesClassName` that was never applied",
    source: "ValidatePersistentVolumeClaimUpdate in pkg/apis/core/validation",
  },
  rangesBecomeDualStack: {
    since: 33,
    text: "A ServiceCIDR with one range can get a second one",
    source: "ValidateServiceCIDRUpdate in pkg/apis/networking/validation",
  },
  parallelSetsReplaceUnavailable: {
    since: 37,
    text: "A StatefulSet with `Parallel` replaces unavailable old Pods at once, above `maxUnavailable`",
    source: "updateStatefulSetAfterInvariantEstablished in pkg/controller/statefulset",
  },
  deploymentsShortenNames: {
    since: 34,
    text: "A Deployment with more than 242 characters in its name creates ReplicaSets with a shorter name",
    source: "generateReplicaSetName in pkg/controller/deployment/sync.go",
  },
} as const satisfies Readonly<Record<string, VersionFact>>;

/**
 * Reports whether a server of this version has the behavior. Newer versions than qvs knows count as
 * the newest known one; an unknown version counts as the assumed one.
 */
export function hasBehavior(
  behavior: keyof typeof versionFacts,
  server: ServerVersion | undefined,
): boolean {
  const { since, until = Number.POSITIVE_INFINITY }: VersionFact = versionFacts[behavior];
  const { minor } = server ?? assumedVersion;
  return since <= minor && minor <= until;
}

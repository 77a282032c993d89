import { assumedVersion, type ServerVersion } from "./server-version.ts";

/** A behavior that only some of the supported versions of Kubernetes have by default. */
interface VersionFact {
  /** The first minor version with the behavior. */
  readonly since: number;
  /** The last minor version with the behavior; undefined if newer ones have it, too. */
  readonly until?: number;
  /** The place in the sources of Kubernetes that shows the versions. */
  readonly source: string;
}

/**
 * The differences between the supported versions that decide predictions. The table knows only the
 * default feature gates: nothing shows the gates of a server to an ordinary identity.
 */
export const versionFacts = {
  /** The API server keeps `spec.resources` of Pods and Pod templates (KEP-2837). */
  podLevelResources: {
    since: 34,
    source: "PodLevelResources in pkg/features/kube_features.go",
  },
  /** Missing requests and limits of a Pod are filled in after the LimitRanges, not before. */
  podLevelDefaultsAfterLimitRanges: {
    since: 37,
    source: "PodLevelResourcesFixDefaulting in pkg/features/kube_features.go",
  },
  /**
   * The scheduler also tests the namespace selector of a pending Pod's anti-affinity against no
   * labels.
   */
  selectorsOfPendingPodsMatchNoLabels: {
    since: 34,
    until: 36,
    source: "mergeAffinityTermNamespacesIfNotEmpty in the scheduler's plugin interpodaffinity",
  },
  /** The API server checks `format: int32` in the schemas of custom resources. */
  integerFormats: {
    since: 36,
    source: "StripUnsupportedFormatsPostProcessorForVersion in apiextensions-apiserver",
  },
  /** The API server keeps and defaults `maxUnavailable` of StatefulSets (KEP-961). */
  statefulSetMaxUnavailable: {
    since: 37,
    source: "MaxUnavailableStatefulSet in pkg/features/kube_features.go",
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

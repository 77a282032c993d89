import { versionFacts } from "../../model/cluster/api/server-version.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { quotaScopes } from "../../validation/admission/quotas.ts";
import { isAdded, isLost, sinceText, type UpgradeContext, type UpgradeProblem } from "./upgrade.ts";

type Effect = Omit<UpgradeProblem, "code" | "since">;

/** A default or a behavior that begins with a version. */
interface ChangedDefault {
  /** The first minor version with it by default. */
  readonly since: number;
  /** The direction of the version change that has the effect. */
  readonly when: "upgrade" | "downgrade" | "both";
  readonly effect: (object: KubeObject, version: string) => Effect | undefined;
}

/** The longest name of a Deployment whose ReplicaSets can have its whole name and a hash. */
const longestFullName = 253 - 1 - 10;

const changedDefaultRules: readonly ChangedDefault[] = [
  {
    since: versionFacts.parallelSetsReplaceUnavailable.since,
    when: "upgrade",
    effect: replacesUnavailable,
  },
  { since: versionFacts.deploymentsShortenNames.since, when: "downgrade", effect: hasLongName },
  {
    since: versionFacts.podLevelDefaultsAfterLimitRanges.since,
    when: "both",
    effect: hasPodResources,
  },
  // VolumeAttributesClass in pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
  { since: 34, when: "both", effect: countsClaimsByClass },
  // GitRepoVolumeDriver in pkg/features/kube_features.go. Since 1.36, no server can enable it.
  { since: 33, when: "upgrade", effect: mountsGitRepos },
  // AuthorizePodWebsocketUpgradeCreatePermission in pkg/registry/core/pod/rest/subresources.go.
  { since: 35, when: "upgrade", effect: needsCreate },
  // SELinuxMount in pkg/features/kube_features.go.
  { since: 37, when: "upgrade", effect: mountsWithLabel },
];

/**
 * Reports objects that the other server treats differently although it accepts them. If this server
 * is unknown, it reports only warnings: a note describes a difference.
 */
export function changedDefaults(
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  return changedDefaultRules.flatMap(({ since, when, effect }): readonly UpgradeProblem[] => {
    const happens =
      (when !== "downgrade" && isAdded(since, context)) ||
      (when !== "upgrade" && isLost(since, context));
    const found = happens ? effect(object, context.target.version) : undefined;
    const isDifference = context.server !== undefined || found?.severity === "warning";
    return found === undefined || !isDifference
      ? []
      : [{ ...found, code: "changed-default", since: sinceText(since) }];
  });
}

function replacesUnavailable(object: KubeObject, version: string): Effect | undefined {
  if (kindKey(idOf(object)) !== "apps/StatefulSet") return undefined;
  const isParallel = textAt(object, "spec", "podManagementPolicy") === "Parallel";
  const isManual = textAt(object, "spec", "updateStrategy", "type") === "OnDelete";
  if (!isParallel || isManual) return undefined;
  return {
    severity: "note",
    what: `Kubernetes ${version} replaces unavailable Pods of the StatefulSet at once`,
    why: "With podManagementPolicy: Parallel, the controller replaces unavailable old Pods in addition to maxUnavailable",
    fix: "Nothing to do, unless the Pods must be replaced in order",
    path: ["spec", "podManagementPolicy"],
  };
}

function hasLongName(object: KubeObject, version: string): Effect | undefined {
  const { name, ...id } = idOf(object);
  if (kindKey(id) !== "apps/Deployment" || name.length <= longestFullName) return undefined;
  return {
    severity: "warning",
    what: `Kubernetes ${version} creates no Pods for the Deployment`,
    why: "The names of its ReplicaSets would have more than 253 characters, and this version doesn't shorten them",
    fix: `Shorten its name to at most ${longestFullName} characters`,
    path: ["metadata", "name"],
  };
}

function hasPodResources(object: KubeObject, version: string): Effect | undefined {
  const pods = podSpecOf(object);
  if (pods === undefined || !isObject(at(pods.spec, "resources"))) return undefined;
  const isComplete = ["requests", "limits"].every((part) =>
    ["cpu", "memory"].every((name) => at(pods.spec, "resources", part, name) !== undefined),
  );
  if (isComplete) return undefined;
  return {
    severity: "note",
    what: `Kubernetes ${version} fills in the resources of the Pods at another time`,
    why: "A LimitRange of the namespace and the defaults of the Pods' resources apply in another order, so Pods can get other values",
    fix: "Declare requests and limits for cpu and memory, if the namespace has a LimitRange",
    path: [...pods.path, "resources"],
  };
}

function countsClaimsByClass(object: KubeObject, version: string): Effect | undefined {
  if (kindKey(idOf(object)) !== "/ResourceQuota") return undefined;
  if (!quotaScopes(object).some((each) => textAt(each, "scopeName") === claimScope))
    return undefined;
  return {
    severity: "note",
    what: `Kubernetes ${version} counts other PersistentVolumeClaims for the quota`,
    why: `By default, the scope ${claimScope} selects claims by class since 1.34, and older versions count none`,
    fix: "Compare the limits of the quota with the claims of its namespace",
    path: ["spec"],
  };
}

const claimScope = "VolumeAttributesClass";

function mountsGitRepos(object: KubeObject, version: string): Effect | undefined {
  const pods = podSpecOf(object);
  const volumes = listAt(pods?.spec, "volumes");
  const index = volumes.findIndex((each) => isObject(at(each, "gitRepo")));
  if (pods === undefined || index < 0) return undefined;
  return {
    severity: "warning",
    what: `its Pods don't start on nodes with Kubernetes ${version}`,
    why: "By default, the kubelet no longer mounts gitRepo volumes (GitRepoVolumeDriver)",
    fix: "Declare an emptyDir volume, and clone the repository in an init container",
    path: [...pods.path, "volumes", String(index), "gitRepo"],
  };
}

function mountsWithLabel(object: KubeObject, version: string): Effect | undefined {
  const pods = podSpecOf(object);
  if (pods === undefined) return undefined;
  const { spec, path } = pods;
  const security = at(spec, "securityContext");
  const isChosen = at(security, "seLinuxChangePolicy") !== undefined;
  const labeled = labelPath(spec);
  if (!hasClaims(object, spec) || isChosen || labeled === undefined) return undefined;
  return {
    severity: "note",
    what: `Kubernetes ${version} mounts volumes with the SELinux label of the Pods`,
    why: "On nodes with SELinux, Pods with different labels can no longer share a volume on one node (SELinuxMount)",
    fix: `Declare seLinuxChangePolicy: Recursive to keep the behavior`,
    paste: ["securityContext:", "  seLinuxChangePolicy: Recursive"],
    path: [...path, ...labeled],
  };
}

const streams = ["attach", "exec", "portforward"].map((name) => `pods/${name}`);

function needsCreate(object: KubeObject, version: string): Effect | undefined {
  const kinds = ["rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole"];
  if (!kinds.includes(kindKey(idOf(object)))) return undefined;
  const rules = listAt(object, "rules");
  const hasVerb = (rule: Json, ...verbs: readonly Json[]) =>
    listAt(rule, "resources").some(isStream) &&
    listAt(rule, "verbs").some((verb) => verbs.includes(verb));
  const index = rules.findIndex((rule) => hasVerb(rule, "get"));
  if (rules.some((rule) => hasVerb(rule, "create", "*"))) return undefined;
  if (index < 0) return undefined;
  return {
    severity: "warning",
    what: `Kubernetes ${version} no longer lets its subjects open streams to Pods`,
    why: "For exec, attach and port-forward, the API server also requires the verb create (AuthorizePodWebsocketUpgradeCreatePermission)",
    fix: "Add the verb create, or remove these resources",
    path: ["rules", String(index), "verbs"],
  };
}

function isStream(resource: Json): boolean {
  return typeof resource === "string" && streams.includes(resource);
}

/** Reports whether Pods use PersistentVolumeClaims: declared ones, or those of a template. */
function hasClaims(object: KubeObject, spec: JsonObject): boolean {
  const isClaim = (volume: Json) =>
    ["persistentVolumeClaim", "ephemeral"].some((type) => isObject(at(volume, type)));
  return (
    listAt(spec, "volumes").some(isClaim) ||
    listAt(object, "spec", "volumeClaimTemplates").length > 0
  );
}

/** Returns the path in the Pod spec of the first SELinux label: of the Pods, or of a container. */
function labelPath(spec: JsonObject): readonly string[] | undefined {
  const label = ["securityContext", "seLinuxOptions"];
  const isLabeled = (holder: Json) => isObject(at(holder, ...label));
  if (isLabeled(spec)) return label;
  return ["containers", "initContainers"]
    .map((list) => [list, String(listAt(spec, list).findIndex(isLabeled)), ...label])
    .find(([, index]) => index !== "-1");
}

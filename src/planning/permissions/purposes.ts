import { lockName } from "../../model/cluster/deployment-lock.ts";
import { rolloutKind, workloadKinds } from "../../model/kinds.ts";
import { freezeName } from "../checks/check-freeze.ts";
import { checkPurposes } from "./deployment-check-permissions.ts";
import {
  grantedPermissions,
  hookPermissions,
  isInitiallyUnready,
  kindPermissions,
  onlyCrds,
  onlyHooks,
  ownObjectPermissions,
  type PermissionInput,
  permit,
  withoutCrds,
} from "./granted-permissions.ts";
import type { Permission, PermissionCommand } from "./permission.ts";
import {
  claimDryRunPermissions,
  claimGrowthPermissions,
  evidencePermissions,
  nodePoolPermissions,
  podDryRunPermissions,
  quotaPermissions,
  schedulingPermissions,
  storageClassPermissions,
} from "./pod-permissions.ts";
import {
  admissionPermissions,
  blockerPermissions,
  definedKindPermissions,
  dependencyPermissions,
  healthSchemaPermissions,
  nullSchemaPermissions,
  outsidePermissions,
  outsideReferrerPermissions,
  outsideStatusPermissions,
  ownedClaimPermissions,
  ownerPermissions,
  podMakerPermissions,
  productPermissions,
  referrerPermissions,
  servedKindPermissions,
} from "./related-object-permissions.ts";

/** A purpose for which qvs sends requests. */
export interface RequestPurpose {
  readonly why: string;
  readonly requiredBy: readonly PermissionCommand[];
  /** The commands that also work without these permissions, and the effect of doing so. */
  readonly optional?: {
    readonly for: readonly PermissionCommand[];
    readonly without: string;
    /** A more exact purpose for these commands, such as a dry run. */
    readonly why?: string;
  };
  readonly permissions: (subject: PermissionInput) => readonly Permission[];
}

const applyCommands: readonly PermissionCommand[] = ["deploy", "rollback", "reconcile"];
const writeCommands: readonly PermissionCommand[] = [...applyCommands, "delete"];
/** The commands that create a release; a correction only adds a note to the current one. */
const recordCommands = writeCommands.filter((command) => command !== "reconcile");
const previewCommands: readonly PermissionCommand[] = ["preview"];
const readCommands: readonly PermissionCommand[] = [...previewCommands, "drift"];
const allCommands: readonly PermissionCommand[] = [...readCommands, ...writeCommands];

/** The reason for permissions to declared objects. */
export const ownObjectsReason = "The deployment's objects.";
const withoutDryRun = "Without it, qvs predicts the server's answer.";
const undeletable = "Without it, qvs doesn't check whether deletions are allowed.";
const withoutCheck = "Without it, qvs omits this check.";

/**
 * All requests that qvs sends to a cluster, by purpose.
 * The tests in test/system/rbac compare the list with the requests of real runs. Every request is
 * in the list, and every entry is sent.
 */
export const purposes: readonly RequestPurpose[] = [
  {
    why: "Take the deployment lock.",
    requiredBy: writeCommands,
    optional: {
      for: previewCommands,
      why: "Dry-run the deployment lock.",
      without: "Without it, the preview doesn't check whether a deployment can take its lock.",
    },
    permissions: ({ deployment: { name, namespace } }) => [
      ...permit(namespace, "coordination.k8s.io", "leases", ["create"]),
      ...permit(namespace, "coordination.k8s.io", "leases", ["get", "update"], [lockName(name)]),
    ],
  },
  {
    why: "Delete the lock together with the deployment.",
    requiredBy: [],
    optional: { for: ["delete"], without: "Without it, an empty lock remains." },
    permissions: ({ deployment: { name, namespace } }) =>
      permit(namespace, "coordination.k8s.io", "leases", ["delete"], [lockName(name)]),
  },
  {
    why: "The records of releases.",
    requiredBy: allCommands,
    permissions: ({ deployment: { namespace } }) => permit(namespace, "", "secrets", ["list"]),
  },
  {
    why: "The records of releases.",
    requiredBy: recordCommands,
    optional: {
      for: previewCommands,
      why: "Dry-run the records of releases.",
      without: "Without it, the preview doesn't check whether a deployment can record its release.",
    },
    permissions: ({ deployment: { namespace } }) =>
      permit(namespace, "", "secrets", ["create", "update", "delete"]),
  },
  {
    why: "Note a correction on the current release.",
    requiredBy: ["reconcile"],
    permissions: ({ deployment: { namespace } }) => permit(namespace, "", "secrets", ["update"]),
  },
  {
    why: "Delete the remains of a run that was killed while it recorded a release.",
    requiredBy: [],
    optional: { for: ["reconcile"], without: "Without it, the next deployment deletes them." },
    permissions: ({ deployment: { namespace } }) => permit(namespace, "", "secrets", ["delete"]),
  },
  {
    why: "Read the record of the current run again if another program has changed it.",
    requiredBy: [],
    optional: {
      for: writeCommands,
      without: "Without it, the release of such a run stays pending.",
    },
    permissions: ({ deployment: { namespace } }) => permit(namespace, "", "secrets", ["get"]),
  },
  {
    why: "Check for a freeze.",
    requiredBy: allCommands,
    permissions: ({ deployment: { namespace } }) =>
      permit(namespace, "", "configmaps", ["get"], [freezeName]),
  },
  {
    why: ownObjectsReason,
    requiredBy: allCommands,
    permissions: (subject) => kindPermissions(withoutCrds(subject), ["list"]),
  },
  {
    why: ownObjectsReason,
    requiredBy: allCommands,
    permissions: (subject) => ownObjectPermissions(onlyCrds(subject), ["get"]),
  },
  {
    why: ownObjectsReason,
    requiredBy: applyCommands,
    permissions: (subject) =>
      kindPermissions(
        withoutCrds({
          ...subject,
          objects: subject.objects.filter((each) => isInitiallyUnready(each, subject.health)),
        }),
        ["watch"],
      ),
  },
  {
    why: "Watch the deployment's objects.",
    requiredBy: [],
    optional: {
      for: writeCommands,
      without:
        "Without it, qvs notices a completed deletion, and a status without a health rule, some seconds later.",
    },
    permissions: (subject) => kindPermissions(withoutCrds(subject), ["watch"]),
  },
  {
    why: "Notice a changed CustomResourceDefinition at once.",
    requiredBy: [],
    optional: {
      for: ["reconcile"],
      without: "Without it, `--watch` notices it at the next resync.",
    },
    permissions: (subject) => kindPermissions(onlyCrds(subject), ["list", "watch"]),
  },
  {
    why: ownObjectsReason,
    requiredBy: writeCommands,
    permissions: (subject) => ownObjectPermissions(subject, ["get"]),
  },
  {
    why: ownObjectsReason,
    requiredBy: applyCommands,
    optional: {
      for: readCommands,
      why: "Dry-run creations and updates of the deployment's objects.",
      without: withoutDryRun,
    },
    permissions: (subject) => [
      ...kindPermissions(subject, ["create"]),
      ...ownObjectPermissions(subject, ["patch"]),
    ],
  },
  {
    why: ownObjectsReason,
    requiredBy: writeCommands,
    optional: {
      for: readCommands,
      why: "Dry-run deletions of the deployment's objects.",
      without: undeletable,
    },
    permissions: (subject) => ownObjectPermissions(subject, ["delete"]),
  },
  {
    why: "Run the hooks of a deletion.",
    requiredBy: ["delete"],
    permissions: hookPermissions,
  },
  {
    why: "Find objects that hooks of a deletion name, and that don't exist.",
    requiredBy: [],
    optional: { for: ["delete"], without: withoutCheck },
    permissions: (subject) => dependencyPermissions(onlyHooks(subject)),
  },
  {
    why: "Collect evidence for a hook of a deletion that doesn't complete.",
    requiredBy: [],
    optional: { for: ["delete"], without: "Without it, a failure lacks Pods, events and logs." },
    permissions: (subject) => evidencePermissions(onlyHooks(subject)),
  },
  {
    why: "Grow the PersistentVolumeClaims of StatefulSets that are replaced without their Pods.",
    requiredBy: applyCommands,
    optional: {
      for: readCommands,
      why: "Dry-run the growth of PersistentVolumeClaims of StatefulSets that are replaced without their Pods.",
      without: withoutDryRun,
    },
    permissions: claimGrowthPermissions,
  },
  {
    why: "Objects outside the deployment that annotations name.",
    requiredBy: [...readCommands, ...applyCommands],
    permissions: outsidePermissions,
  },
  {
    why: "Readiness of objects outside the deployment that annotations name.",
    requiredBy: applyCommands,
    permissions: outsideStatusPermissions,
  },
  {
    why: "Create Roles and bindings: Kubernetes requires the permissions that they grant.",
    requiredBy: applyCommands,
    optional: {
      for: readCommands,
      without:
        "Without it, the preview shows such a Role or binding as rejected, and the check is red.",
    },
    permissions: ({ objects }) => grantedPermissions(objects.flatMap(({ object }) => object ?? [])),
  },
  {
    why: "Find users of a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount before its deletion.",
    requiredBy: writeCommands,
    optional: { for: readCommands, without: withoutCheck },
    permissions: (subject) => podMakerPermissions(subject, workloadKinds),
  },
  {
    why: "Find Argo Rollouts that use a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount before its deletion.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without: "Without it, qvs omits this check. A cluster without Argo Rollouts doesn't need it.",
    },
    permissions: (subject) => podMakerPermissions(subject, [rolloutKind]),
  },
  {
    why: "Collect evidence for a rollout that doesn't complete.",
    requiredBy: [],
    optional: {
      for: applyCommands,
      without: "Without it, a failure lacks Pods, events and logs.",
    },
    permissions: evidencePermissions,
  },
  {
    why: "Find out when a PersistentVolumeClaim is bound.",
    requiredBy: [],
    optional: { for: applyCommands, without: "Without it, qvs uses events, a moment later." },
    permissions: storageClassPermissions,
  },
  ...checkPurposes,
  {
    why: "Dry-run the Pods of templates.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: podDryRunPermissions,
  },
  {
    why: "Dry-run the PersistentVolumeClaims of templates.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: claimDryRunPermissions,
  },
  {
    why: "Check quotas.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: quotaPermissions,
  },
  {
    why: "Find objects that Pods and other objects name, and that don't exist.",
    requiredBy: [],
    optional: { for: [...previewCommands, "deploy", "rollback"], without: withoutCheck },
    permissions: dependencyPermissions,
  },
  {
    why: "Check that the owners exist that manifests name.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: ownerPermissions,
  },
  {
    why: "Find webhooks and policies for custom resources whose definition is new.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: admissionPermissions,
  },
  {
    why: "Find objects that name an object to delete.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: referrerPermissions,
  },
  {
    why: "Find objects in other namespaces that name an object to delete.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: outsideReferrerPermissions,
  },
  {
    why: "Find PersistentVolumeClaims that are deleted with an object.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without: "Without it, qvs derives them from their usual names.",
    },
    permissions: ownedClaimPermissions,
  },
  {
    why: "Find the objects that a custom resource owns, such as the Secret of an ExternalSecret, and their Pods.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without: "Without it, qvs uses the usual names and keeps objects that might be in use.",
    },
    permissions: productPermissions,
  },
  {
    why: "Find the objects that a deletion waits for, such as the Pods of a Deployment.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without: "Without it, qvs doesn't name the cause of a hanging deletion.",
    },
    permissions: blockerPermissions,
  },
  {
    why: "Find objects outside the deployment that are deleted with a CustomResourceDefinition.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without: "Without it, qvs reports that it can't list them.",
    },
    permissions: definedKindPermissions,
  },
  {
    why: "Read CustomResourceDefinitions to find fields that store null.",
    requiredBy: [],
    optional: {
      for: allCommands,
      without:
        "Without it, qvs uses the OpenAPI document of the API server, which can be a moment behind.",
    },
    permissions: nullSchemaPermissions,
  },
  {
    why: "Find out whether the deletion of a custom resource can be dry-run.",
    requiredBy: [],
    optional: {
      for: [...previewCommands, ...writeCommands],
      without:
        "Without it, a policy or webhook that denies the deletion is found during the deployment.",
    },
    permissions: servedKindPermissions,
  },
  {
    why: "Derive health rules for custom kinds, and check those of the config.",
    requiredBy: [],
    optional: {
      for: previewCommands,
      without: "Without it, qvs uses the OpenAPI document of the API server.",
    },
    permissions: healthSchemaPermissions,
  },
  {
    why: "Predict rollouts: read nodes and their Pods.",
    requiredBy: [],
    optional: { for: previewCommands, without: withoutCheck },
    permissions: schedulingPermissions,
  },
  {
    why: "Find out whether Karpenter adds nodes.",
    requiredBy: [],
    optional: {
      for: previewCommands,
      without: "Without it, qvs omits this check. A cluster without Karpenter doesn't need it.",
    },
    permissions: nodePoolPermissions,
  },
];

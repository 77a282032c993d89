import { podMakerKinds, rolloutKind } from "../../apply/deletion/pod-makers.ts";
import { lockName } from "../../model/cluster/lock-name.ts";
import { freezeName } from "../checks/freeze.ts";
import { isAwaited } from "./awaited.ts";
import { grantsOf } from "./grants.ts";
import type { Right, RightsCommand } from "./right.ts";
import { definitionsIn, listed, on, type RightsSubject, toKinds, toObjects } from "./rights-to.ts";
import {
  toAdmission,
  toBlockers,
  toDefined,
  toDefinitionsOfNulls,
  toNamers,
  toNamersFromOutside,
  toNeeds,
  toOutside,
  toOutsideStatus,
  toOwnedClaims,
  toOwners,
  toProducts,
  toServers,
  toUsers,
} from "./rights-to-others.ts";
import {
  toClasses,
  toEvidence,
  toNodePools,
  toQuotas,
  toScheduling,
  toTrialClaims,
  toTrialPods,
} from "./rights-to-pods.ts";

/** A purpose for which qvs sends requests. */
export interface Purpose {
  readonly why: string;
  readonly needed: readonly RightsCommand[];
  /** The commands that also work without these permissions, and the effect of doing so. */
  readonly optional?: {
    readonly for: readonly RightsCommand[];
    readonly without: string;
    /** A more exact purpose for these commands, such as a dry run. */
    readonly why?: string;
  };
  readonly rights: (subject: RightsSubject) => readonly Right[];
}

const applying: readonly RightsCommand[] = ["deploy", "rollback", "reconcile"];
const writing: readonly RightsCommand[] = [...applying, "delete"];
/** The commands that create a release; a correction only adds a note to the current one. */
const recording = writing.filter((command) => command !== "reconcile");
const previewing: readonly RightsCommand[] = ["preview"];
const looking: readonly RightsCommand[] = [...previewing, "drift"];
const all: readonly RightsCommand[] = [...looking, ...writing];

/** The reason for permissions to declared objects. */
export const ownObjects = "The deployment's objects.";
const untried = "Without it, qvs predicts the server's answer.";
const undeletable = "Without it, qvs doesn't check whether deletions are allowed.";
const blind = "Without it, qvs omits this check.";

/**
 * All requests that qvs sends to a cluster, by purpose.
 * The tests in test/rbac compare the list with the requests of real runs. Every request is in the
 * list, and every entry is sent.
 */
export const purposes: readonly Purpose[] = [
  {
    why: "Take the deployment lock.",
    needed: writing,
    optional: {
      for: previewing,
      why: "Dry-run the deployment lock.",
      without: "Without it, the preview doesn't check whether a deployment can take its lock.",
    },
    rights: ({ deployment: { name, namespace } }) => [
      ...on(namespace, "coordination.k8s.io", "leases", ["create"]),
      ...on(namespace, "coordination.k8s.io", "leases", ["get", "update"], [lockName(name)]),
    ],
  },
  {
    why: "Delete the lock together with the deployment.",
    needed: [],
    optional: { for: ["delete"], without: "Without it, an empty lock remains." },
    rights: ({ deployment: { name, namespace } }) =>
      on(namespace, "coordination.k8s.io", "leases", ["delete"], [lockName(name)]),
  },
  {
    why: "The records of releases.",
    needed: all,
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["list"]),
  },
  {
    why: "The records of releases.",
    needed: recording,
    optional: {
      for: previewing,
      why: "Dry-run the records of releases.",
      without: "Without it, the preview doesn't check whether a deployment can record its release.",
    },
    rights: ({ deployment: { namespace } }) =>
      on(namespace, "", "secrets", ["create", "update", "delete"]),
  },
  {
    why: "Note a correction on the current release.",
    needed: ["reconcile"],
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["update"]),
  },
  {
    why: "Delete the remains of a run that was killed while it recorded a release.",
    needed: [],
    optional: { for: ["reconcile"], without: "Without it, the next deployment deletes them." },
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["delete"]),
  },
  {
    why: "Read the record of the current run again if another program has changed it.",
    needed: [],
    optional: { for: writing, without: "Without it, the release of such a run stays pending." },
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["get"]),
  },
  {
    why: "Check for a freeze.",
    needed: all,
    rights: ({ deployment: { namespace } }) =>
      on(namespace, "", "configmaps", ["get"], [freezeName]),
  },
  {
    why: ownObjects,
    needed: all,
    rights: (subject) => toKinds(listed(subject), ["list"]),
  },
  {
    why: ownObjects,
    needed: all,
    rights: (subject) => toObjects(definitionsIn(subject), ["get"]),
  },
  {
    why: ownObjects,
    needed: applying,
    rights: (subject) =>
      toKinds(listed({ ...subject, objects: subject.objects.filter(isAwaited) }), ["watch"]),
  },
  {
    why: "Watch the deployment's objects.",
    needed: [],
    optional: {
      for: writing,
      without: "Without it, qvs notices a completed deletion some seconds later.",
    },
    rights: (subject) => toKinds(listed(subject), ["watch"]),
  },
  {
    why: "Notice a changed CustomResourceDefinition at once.",
    needed: [],
    optional: {
      for: ["reconcile"],
      without: "Without it, `--watch` notices it at the next resync.",
    },
    rights: (subject) => toKinds(definitionsIn(subject), ["list", "watch"]),
  },
  {
    why: ownObjects,
    needed: writing,
    rights: (subject) => toObjects(subject, ["get"]),
  },
  {
    why: ownObjects,
    needed: applying,
    optional: {
      for: looking,
      why: "Dry-run creations and updates of the deployment's objects.",
      without: untried,
    },
    rights: (subject) => [...toKinds(subject, ["create"]), ...toObjects(subject, ["patch"])],
  },
  {
    why: ownObjects,
    needed: writing,
    optional: {
      for: looking,
      why: "Dry-run deletions of the deployment's objects.",
      without: undeletable,
    },
    rights: (subject) => toObjects(subject, ["delete"]),
  },
  {
    why: "Objects outside the deployment that annotations name.",
    needed: [...looking, ...applying],
    rights: toOutside,
  },
  {
    why: "Readiness of objects outside the deployment that annotations name.",
    needed: applying,
    rights: toOutsideStatus,
  },
  {
    why: "Create Roles and bindings: Kubernetes requires the permissions that they grant.",
    needed: applying,
    optional: {
      for: looking,
      without: "Without it, the preview shows such a Role or binding as rejected.",
    },
    rights: ({ objects }) => grantsOf(objects.flatMap(({ object }) => object ?? [])),
  },
  {
    why: "Find users of a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount before its deletion.",
    needed: writing,
    optional: { for: looking, without: blind },
    rights: (subject) => toUsers(subject, podMakerKinds),
  },
  {
    why: "Find Argo Rollouts that use a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount before its deletion.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs omits this check. A cluster without Argo Rollouts doesn't need it.",
    },
    rights: (subject) => toUsers(subject, [rolloutKind]),
  },
  {
    why: "Collect evidence for a rollout that doesn't complete.",
    needed: [],
    optional: {
      for: applying,
      without: "Without it, a failure lacks Pods, events and logs.",
    },
    rights: toEvidence,
  },
  {
    why: "Find out when a PersistentVolumeClaim is bound.",
    needed: [],
    optional: { for: applying, without: "Without it, qvs uses events, a moment later." },
    rights: toClasses,
  },
  {
    why: "Dry-run the Pods of templates.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toTrialPods,
  },
  {
    why: "Dry-run the PersistentVolumeClaims of templates.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toTrialClaims,
  },
  {
    why: "Check quotas.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toQuotas,
  },
  {
    why: "Find objects that Pods and other objects name, and that don't exist.",
    needed: [],
    optional: { for: [...previewing, "deploy", "rollback"], without: blind },
    rights: toNeeds,
  },
  {
    why: "Check that the owners exist that manifests name.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toOwners,
  },
  {
    why: "Find webhooks and policies for custom resources whose definition is new.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toAdmission,
  },
  {
    why: "Find objects that name an object to delete.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toNamers,
  },
  {
    why: "Find objects in other namespaces that name an object to delete.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toNamersFromOutside,
  },
  {
    why: "Find PersistentVolumeClaims that are deleted with an object.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs derives them from their usual names.",
    },
    rights: toOwnedClaims,
  },
  {
    why: "Find the objects that a custom resource owns, such as the Secret of an ExternalSecret, and their Pods.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs uses the usual names and keeps objects that might be in use.",
    },
    rights: toProducts,
  },
  {
    why: "Find the objects that a deletion waits for, such as the Pods of a Deployment.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs doesn't name the cause of a hanging deletion.",
    },
    rights: toBlockers,
  },
  {
    why: "Find objects outside the deployment that are deleted with a CustomResourceDefinition.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs reports that it can't list them.",
    },
    rights: toDefined,
  },
  {
    why: "Read CustomResourceDefinitions to find fields that store null.",
    needed: [],
    optional: {
      for: all,
      without:
        "Without it, qvs uses the OpenAPI document of the API server, which can be a moment behind.",
    },
    rights: toDefinitionsOfNulls,
  },
  {
    why: "Find out whether the deletion of a custom resource can be dry-run.",
    needed: [],
    optional: {
      for: [...previewing, ...writing],
      without:
        "Without it, a policy or webhook that denies the deletion is found during the deployment.",
    },
    rights: toServers,
  },
  {
    why: "Predict rollouts: read nodes and their Pods.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toScheduling,
  },
  {
    why: "Find out whether Karpenter adds nodes.",
    needed: [],
    optional: {
      for: previewing,
      without: "Without it, qvs omits this check. A cluster without Karpenter doesn't need it.",
    },
    rights: toNodePools,
  },
];

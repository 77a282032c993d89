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

/** One purpose for which requests are sent. */
export interface Purpose {
  readonly why: string;
  readonly needed: readonly RightsCommand[];
  /** Commands that do without, and what they do not tell then. */
  readonly optional?: { readonly for: readonly RightsCommand[]; readonly without: string };
  readonly rights: (subject: RightsSubject) => readonly Right[];
}

const applying: readonly RightsCommand[] = ["deploy", "rollback", "reconcile"];
const writing: readonly RightsCommand[] = [...applying, "delete"];
/** A correction makes no release: it notes on the one that runs what it has put right. */
const recording = writing.filter((command) => command !== "reconcile");
const previewing: readonly RightsCommand[] = ["preview"];
const looking: readonly RightsCommand[] = [...previewing, "drift"];
const all: readonly RightsCommand[] = [...looking, ...writing];

/** Why rights to what a deployment declares are needed. */
export const ownObjects = "The deployment's objects.";
const untried =
  "Without it, what the server would make of them is predicted, and whether they may be deleted is not told.";
const blind = "Without it, that is not told.";

/**
 * Everything that is asked of the cluster. The tests of test/rbac hold the requests of real runs against it: none that is not
 * here, and none here that no run sends.
 */
export const purposes: readonly Purpose[] = [
  {
    why: "The lock of the deployment.",
    needed: writing,
    optional: {
      for: previewing,
      without: "Without it, whether a deployment could take its lock is not told.",
    },
    rights: ({ deployment: { name, namespace } }) => [
      ...on(namespace, "coordination.k8s.io", "leases", ["create"]),
      ...on(namespace, "coordination.k8s.io", "leases", ["get", "update"], [lockName(name)]),
    ],
  },
  {
    why: "The lock, once the deployment is deleted.",
    needed: [],
    optional: { for: ["delete"], without: "Without it, an empty lock is left behind." },
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
      without: "Without it, whether a deployment could record itself is not told.",
    },
    rights: ({ deployment: { namespace } }) =>
      on(namespace, "", "secrets", ["create", "update", "delete"]),
  },
  {
    why: "What was put right, noted on the release that runs.",
    needed: ["reconcile"],
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["update"]),
  },
  {
    why: "What a run left that was killed while it recorded a release.",
    needed: [],
    optional: { for: ["reconcile"], without: "Without it, the next deployment deletes that." },
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["delete"]),
  },
  {
    why: "A record that somebody else has touched before its end was written.",
    needed: [],
    optional: { for: writing, without: "Without it, such a run ends with its record pending." },
    rights: ({ deployment: { namespace } }) => on(namespace, "", "secrets", ["get"]),
  },
  {
    why: "Whether deployments are frozen.",
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
    why: ownObjects,
    needed: [],
    optional: {
      for: writing,
      without: "Without it, that one is gone is noticed some seconds later.",
    },
    rights: (subject) => toKinds(listed(subject), ["watch"]),
  },
  {
    why: "To be told at once that somebody has changed a CustomResourceDefinition.",
    needed: [],
    optional: {
      for: ["reconcile"],
      without: "Without it, `--watch` notices that when it looks again by itself.",
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
    optional: { for: looking, without: untried },
    rights: (subject) => [...toKinds(subject, ["create"]), ...toObjects(subject, ["patch"])],
  },
  {
    why: ownObjects,
    needed: writing,
    optional: { for: looking, without: untried },
    rights: (subject) => toObjects(subject, ["delete"]),
  },
  {
    why: "Objects of others that annotations wait for.",
    needed: [...looking, ...applying],
    rights: toOutside,
  },
  {
    why: "Whether objects of others that annotations wait for are ready.",
    needed: applying,
    rights: toOutsideStatus,
  },
  {
    why: "Kubernetes lets nobody give rights away that they do not have.",
    needed: applying,
    optional: {
      for: looking,
      without: "Without it, a Role or binding that gives it away is shown as refused.",
    },
    rights: ({ objects }) => grantsOf(objects.flatMap(({ object }) => object ?? [])),
  },
  {
    why: "What still uses a ConfigMap, Secret, claim or account, which keeps it from being deleted.",
    needed: writing,
    optional: { for: looking, without: blind },
    rights: (subject) => toUsers(subject, podMakerKinds),
  },
  {
    why: "The same of Argo Rollouts.",
    needed: [],
    optional: { for: all, without: "Only a cluster that serves Argo Rollouts needs it." },
    rights: (subject) => toUsers(subject, [rolloutKind]),
  },
  {
    why: "Why a rollout does not get on.",
    needed: [],
    optional: {
      for: applying,
      without: "Without it, a failure is told without its Pods, events and logs.",
    },
    rights: toEvidence,
  },
  {
    why: "When a claim gets its volume.",
    needed: [],
    optional: { for: applying, without: "Without it, events tell it, a moment later." },
    rights: toClasses,
  },
  {
    why: "Whether the API server takes the Pods, by dry-run.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toTrialPods,
  },
  {
    why: "Whether the API server takes the claims of Pods, by dry-run.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toTrialClaims,
  },
  {
    why: "Whether quotas leave enough.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toQuotas,
  },
  {
    why: "Whether there is what Pods and other objects name.",
    needed: [],
    optional: { for: [...previewing, "deploy", "rollback"], without: blind },
    rights: toNeeds,
  },
  {
    why: "Whether the owners that manifests name are there.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toOwners,
  },
  {
    why: "What webhooks and policies decide about objects whose definition comes with them.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toAdmission,
  },
  {
    why: "What names an object that would be deleted.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toNamers,
  },
  {
    why: "What names an object that would be deleted from outside of its namespace.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toNamersFromOutside,
  },
  {
    why: "Which claims go with an object that is deleted or recreated.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, they are told by the names that they should have.",
    },
    rights: toOwnedClaims,
  },
  {
    why: "What a custom resource owns, such as the Secret of an ExternalSecret, and which Pods use it.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs goes by the usual names and keeps what could be in use.",
    },
    rights: toProducts,
  },
  {
    why: "What a deleted object owns and waits for, such as the Pods of a Deployment.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, qvs does not name what holds back a deletion.",
    },
    rights: toBlockers,
  },
  {
    why: "Which objects of others go with a CustomResourceDefinition that is deleted.",
    needed: [],
    optional: {
      for: all,
      without: "Without it, it is only told that they could not be listed.",
    },
    rights: toDefined,
  },
  {
    why: "Which nulls the CustomResourceDefinition of a kind keeps.",
    needed: [],
    optional: {
      for: all,
      without:
        "Without it, the OpenAPI document of the API server tells that, which can be a moment behind.",
    },
    rights: toDefinitionsOfNulls,
  },
  {
    why: "Whether the deletion of a custom resource may be dry-run: who serves its kind.",
    needed: [],
    optional: {
      for: [...previewing, ...writing],
      without:
        "Without it, a policy or a webhook that refuses the deletion is told when its turn comes.",
    },
    rights: toServers,
  },
  {
    why: "Whether rollouts can complete: which nodes there are, and what runs on them.",
    needed: [],
    optional: { for: previewing, without: blind },
    rights: toScheduling,
  },
  {
    why: "Whether Karpenter adds nodes for them.",
    needed: [],
    optional: { for: previewing, without: "Only a cluster that has Karpenter needs it." },
    rights: toNodePools,
  },
];

import { fieldOf, textAt } from "../../../model/json.ts";
import { type GroupKind, hasStatus, kindKey } from "../../../model/kinds.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import {
  explainCondition,
  failed,
  failedForGood,
  findCondition,
  isAboutCurrentGeneration,
  isObserved,
  notObserved,
  outdatedConditionStatus,
  ready,
  type Status,
  type StatusFacts,
  statusByAvailableCondition,
  statusByOptionalCondition,
  statusByReadyCondition,
  waiting,
} from "./conditions.ts";
import {
  customResourceDefinitionStatus,
  namespaceStatus,
  persistentVolumeClaimStatus,
  resourceQuotaStatus,
  serviceStatus,
} from "./core-status.ts";
import { isCompletedJob, jobStatus } from "./job.ts";
import { podStatus } from "./pod-status.ts";
import { rolloutStatus } from "./rollout.ts";
import { withSuspension } from "./suspension.ts";
import {
  daemonSetStatus,
  deploymentStatus,
  replicaSetStatus,
  statefulSetStatus,
} from "./workload-status.ts";

/**
 * Returns the readiness of an object, by its kind (docs/reference/deployment.md#readiness).
 * Unknown kinds are ready by their conditions.
 */
export function computeStatus(object: KubeObject, facts: StatusFacts): Status {
  if (isCompletedJob(object)) return ready();
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) {
    return failedForGood("it is being deleted");
  }
  const rule = fieldOf(statusRules, kindKey(idOf(object))) ?? statusByOptionalCondition;
  if (rule === alwaysReady) return ready();
  return withSuspension(statusByRule(object, rule, facts), object, facts);
}

/** Reports whether objects of this kind are ready as soon as they exist. */
export function isAlwaysReady(kind: GroupKind): boolean {
  return !hasStatus(kind) || fieldOf(statusRules, kindKey(kind)) === alwaysReady;
}

function statusByRule(object: KubeObject, rule: StatusRule, facts: StatusFacts): Status {
  if (isObserved(object) === false)
    return notObserved("its controller hasn't observed the change yet");
  const stalled = findCondition(object, "Stalled");
  if (stalled?.status === "True") {
    return isAboutCurrentGeneration(object, stalled)
      ? failed(explainCondition(stalled))
      : outdatedConditionStatus(stalled);
  }
  const reconciling = findCondition(object, "Reconciling");
  return reconciling?.status === "True"
    ? waiting(explainCondition(reconciling))
    : rule(object, facts);
}

type StatusRule = (object: KubeObject, facts: StatusFacts) => Status;

/**
 * Always ready: objects of these kinds only have to exist.
 * A PodDisruptionBudget over Pods without a scalable owner never gets its observedGeneration. An
 * autoscaler without metrics never gets its conditions. Their workloads still work.
 */
function alwaysReady(): Status {
  return ready();
}

const statusRules: Readonly<Record<string, StatusRule>> = {
  "/Namespace": namespaceStatus,
  "/PersistentVolumeClaim": persistentVolumeClaimStatus,
  "/Pod": podStatus,
  "/ReplicationController": replicaSetStatus,
  "/ResourceQuota": resourceQuotaStatus,
  "/Service": serviceStatus,
  "apiextensions.k8s.io/CustomResourceDefinition": customResourceDefinitionStatus,
  "apiregistration.k8s.io/APIService": statusByAvailableCondition,
  "apps/DaemonSet": daemonSetStatus,
  "apps/Deployment": deploymentStatus,
  "apps/ReplicaSet": replicaSetStatus,
  "apps/StatefulSet": statefulSetStatus,
  "argoproj.io/Rollout": rolloutStatus,
  "autoscaling/HorizontalPodAutoscaler": alwaysReady,
  "batch/Job": jobStatus,
  "cert-manager.io/Certificate": statusByReadyCondition,
  "cert-manager.io/CertificateRequest": statusByReadyCondition,
  "cert-manager.io/ClusterIssuer": statusByReadyCondition,
  "cert-manager.io/Issuer": statusByReadyCondition,
  "external-secrets.io/ClusterExternalSecret": statusByReadyCondition,
  "external-secrets.io/ClusterSecretStore": statusByReadyCondition,
  "external-secrets.io/ExternalSecret": statusByReadyCondition,
  "external-secrets.io/PushSecret": statusByReadyCondition,
  "external-secrets.io/SecretStore": statusByReadyCondition,
  "helm.toolkit.fluxcd.io/HelmRelease": statusByReadyCondition,
  "kustomize.toolkit.fluxcd.io/Kustomization": statusByReadyCondition,
  "policy/PodDisruptionBudget": alwaysReady,
  "serving.knative.dev/Service": statusByReadyCondition,
};

import { fieldOf, textAt } from "../../../model/json.ts";
import { groupOf, type KubeObject } from "../../../model/object.ts";
import { condition, explain, speaksOfNewestSpec } from "./conditions.ts";
import { customResourceDefinitionStatus } from "./custom-resource-definition.ts";
import { daemonSetStatus } from "./daemon-set.ts";
import { deploymentStatus } from "./deployment.ts";
import { isCompletedJob, jobStatus } from "./job.ts";
import { namespaceStatus } from "./namespace.ts";
import { persistentVolumeClaimStatus } from "./persistent-volume-claim.ts";
import { podStatus } from "./pod.ts";
import {
  ifItHasACondition,
  onceItHasACondition,
  onceItIsAvailable,
  waitingForNews,
} from "./ready-condition.ts";
import { replicaSetStatus } from "./replica-set.ts";
import { resourceQuotaStatus } from "./resource-quota.ts";
import { rolloutStatus } from "./rollout.ts";
import { serviceStatus } from "./service.ts";
import { statefulSetStatus } from "./stateful-set.ts";
import {
  type Facts,
  failed,
  isObserved,
  notObserved,
  ready,
  type Status,
  waiting,
} from "./status.ts";
import { withSuspension } from "./suspension.ts";

/**
 * Returns the readiness of an object, by its kind (docs/reference/deployment.md#readiness).
 * Unknown kinds are ready by their conditions.
 */
export function statusOf(object: KubeObject, facts: Facts): Status {
  if (isCompletedJob(object)) return ready();
  if (textAt(object, "metadata", "deletionTimestamp") !== undefined) {
    return failed("it is being deleted");
  }
  const rule = fieldOf(table, `${groupOf(object.apiVersion)}/${object.kind}`) ?? ifItHasACondition;
  if (rule === exists) return ready();
  return withSuspension(statusByRule(object, rule, facts), object, facts);
}

function statusByRule(object: KubeObject, rule: Rule, facts: Facts): Status {
  if (isObserved(object) === false)
    return notObserved("its controller has not observed the change yet");
  const stalled = condition(object, "Stalled");
  if (stalled?.status === "True") {
    return speaksOfNewestSpec(object, stalled) ? failed(explain(stalled)) : waitingForNews(stalled);
  }
  const reconciling = condition(object, "Reconciling");
  return reconciling?.status === "True" ? waiting(explain(reconciling)) : rule(object, facts);
}

type Rule = (object: KubeObject, facts: Facts) => Status;

/**
 * Always ready: objects of these kinds only have to exist.
 * A PodDisruptionBudget over Pods without a scalable owner never gets its observedGeneration. An
 * autoscaler without metrics never gets its conditions. Their workloads still work.
 */
function exists(): Status {
  return ready();
}

const table: Readonly<Record<string, Rule>> = {
  "/Namespace": namespaceStatus,
  "/PersistentVolumeClaim": persistentVolumeClaimStatus,
  "/Pod": podStatus,
  "/ReplicationController": replicaSetStatus,
  "/ResourceQuota": resourceQuotaStatus,
  "/Service": serviceStatus,
  "apiextensions.k8s.io/CustomResourceDefinition": customResourceDefinitionStatus,
  "apiregistration.k8s.io/APIService": onceItIsAvailable,
  "apps/DaemonSet": daemonSetStatus,
  "apps/Deployment": deploymentStatus,
  "apps/ReplicaSet": replicaSetStatus,
  "apps/StatefulSet": statefulSetStatus,
  "argoproj.io/Rollout": rolloutStatus,
  "autoscaling/HorizontalPodAutoscaler": exists,
  "batch/Job": jobStatus,
  "cert-manager.io/Certificate": onceItHasACondition,
  "cert-manager.io/CertificateRequest": onceItHasACondition,
  "cert-manager.io/ClusterIssuer": onceItHasACondition,
  "cert-manager.io/Issuer": onceItHasACondition,
  "external-secrets.io/ClusterExternalSecret": onceItHasACondition,
  "external-secrets.io/ClusterSecretStore": onceItHasACondition,
  "external-secrets.io/ExternalSecret": onceItHasACondition,
  "external-secrets.io/PushSecret": onceItHasACondition,
  "external-secrets.io/SecretStore": onceItHasACondition,
  "helm.toolkit.fluxcd.io/HelmRelease": onceItHasACondition,
  "kustomize.toolkit.fluxcd.io/Kustomization": onceItHasACondition,
  "policy/PodDisruptionBudget": exists,
  "serving.knative.dev/Service": onceItHasACondition,
};

import { apiProblem } from "../../model/cluster/api-failure.ts";
import { readScaler } from "../../model/cluster/scalers.ts";
import { stages } from "../../model/compilation.ts";
import type { FieldOwner } from "../../model/deployment-state.ts";
import type { NamedManager } from "../../model/field-explanation.ts";
import { fieldOf } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import { failed, ok, type Result } from "../../model/problems/problem.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/** Adds the role of each manager: this deployment, an autoscaler, or another known program. */
export function nameManagers(
  deployment: string,
  owners: readonly FieldOwner[],
  autoscaler: string | undefined,
): readonly NamedManager[] {
  const own = new Set(stages.map((stage) => fieldManager(deployment, stage)));
  return owners.map((owner) => {
    if (own.has(owner.manager)) return { ...owner, role: "this deployment" };
    if (isScaleController(owner)) return { ...owner, role: autoscaler ?? "an autoscaler" };
    return { ...owner, role: knownRole(owner) };
  });
}

/** Reports whether a controller of Kubernetes wrote through the scale subresource. */
function isScaleController({ manager, subresource }: FieldOwner): boolean {
  return subresource === "scale" && /^(kube-controller-manager|keda|vpa-)/.test(manager);
}

/**
 * Returns the name of the HorizontalPodAutoscaler of an object; undefined if there is none. Fails
 * if they can't be listed.
 */
export async function findAutoscaler(
  cluster: Cluster,
  object: KubeObject,
): Promise<Result<string | undefined>> {
  const { namespace } = idOf(object);
  const listed = await cluster.list("autoscaling/v2", "HorizontalPodAutoscaler", namespace);
  if (!listed.ok)
    return failed([apiProblem(cluster, "list HorizontalPodAutoscalers", listed.failure)]);
  const found = listed.value.items.find((each) => {
    const target = readScaler(each)?.target;
    return target !== undefined && keyOf(target) === keyOf(idOf(object));
  });
  return ok(found === undefined ? undefined : nameOf(idOf(found)));
}

/** The names that programs use as field managers by default. */
const roles: Readonly<Record<string, string>> = {
  "kube-controller-manager": "a controller of Kubernetes",
  "kube-apiserver": "the API server",
  "kube-scheduler": "the scheduler",
  kubelet: "the node",
  kubectl: "kubectl",
  "kubectl-client-side-apply": "kubectl apply",
  "kubectl-last-applied": "kubectl apply",
  "kubectl-create": "kubectl create",
  "kubectl-edit": "kubectl edit",
  "kubectl-label": "kubectl label",
  "kubectl-annotate": "kubectl annotate",
  "kubectl-patch": "kubectl patch",
  "kubectl-replace": "kubectl replace",
  "kubectl-rollout": "kubectl rollout",
  "kubectl-set": "kubectl set",
  "rollouts-controller": "Argo Rollouts",
  "argocd-controller": "Argo CD",
  "kustomize-controller": "Flux",
  "helm-controller": "Flux",
  helm: "Helm",
  "keda-operator": "KEDA",
  "cert-manager-cainjector": "cert-manager",
};

function knownRole({ manager }: FieldOwner): string | undefined {
  const [, other] = /^qvs-(.+)-(?:appSetup|app)$/.exec(manager) ?? [];
  return other === undefined ? fieldOf(roles, manager) : `deployment ${other}`;
}

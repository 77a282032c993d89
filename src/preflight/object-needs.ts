import { servingServices } from "../model/cluster/serving-services.ts";
import { at, type Json, listAt, textAt } from "../model/json.ts";
import {
  annotation,
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  type ObjectId,
} from "../model/object.ts";
import type { Change } from "../model/plan.ts";

/** Another object that an object by itself is of no use without. */
export interface ObjectNeed {
  readonly id: ObjectId;
  readonly apiVersion: string;
  /** Where it is named. */
  readonly path: readonly string[];
  /** What comes of it where it is missing. No full stop. */
  readonly why: string;
  /** Whether the deployment waits in vain then, or has made nothing that stays. */
  readonly isAwaited: boolean;
  /** Whether operators make such objects of custom resources, so that it may come with one. */
  readonly isOfOperators?: true;
}

/** What these changes bring that names such an object by itself, and did not before: a class that the server fills in is there. */
export function changesWithNeeds(
  changes: readonly Change[],
): readonly { readonly change: Change; readonly needs: readonly ObjectNeed[] }[] {
  return changes.flatMap((change) => {
    const needs = change.action === "unchanged" ? [] : newNeeds(change);
    return needs.length === 0 ? [] : [{ change, needs }];
  });
}

function newNeeds({ action, desired, live }: Change): readonly ObjectNeed[] {
  const isAnew = live === undefined || action === "replace";
  const before = new Set(isAnew ? [] : objectNeeds(live).map(({ id }) => keyOf(id)));
  const needs = objectNeeds(desired).filter(({ id }) => !before.has(keyOf(id)));
  return [...new Map(needs.toReversed().map((need) => [keyOf(need.id), need])).values()];
}

export function objectNeeds(object: KubeObject): readonly ObjectNeed[] {
  const { group, kind } = idOf(object);
  switch (`${group}/${kind}`) {
    case "/PersistentVolumeClaim":
      return ofClaim(object);
    case "/Secret":
      return ofToken(object);
    case "networking.k8s.io/Ingress":
      return ofIngress(object);
    case "autoscaling/HorizontalPodAutoscaler":
      return ofScaler(object);
    case "argoproj.io/Rollout":
      return ofRollout(object);
    case "rbac.authorization.k8s.io/RoleBinding":
    case "rbac.authorization.k8s.io/ClusterRoleBinding":
      return ofBinding(object);
    case "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding":
    case "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":
      return ofPolicyBinding(object);
    case "gateway.networking.k8s.io/HTTPRoute":
    case "gateway.networking.k8s.io/GRPCRoute":
      return ofRoute(object);
    default:
      return whatServes(object);
  }
}

/** One that names its volume has no use for a class. */
function ofClaim(claim: KubeObject): readonly ObjectNeed[] {
  const volume = textAt(claim, "spec", "volumeName") ?? "";
  const storageClass = textAt(claim, "spec", "storageClassName") ?? "";
  if (volume !== "") {
    return [
      {
        ...clusterScoped("", "v1", "PersistentVolume", volume),
        path: ["spec", "volumeName"],
        why: "the claim waits for that volume and takes no other",
        isAwaited: true,
      },
    ];
  }
  if (storageClass === "") return [];
  return [
    {
      ...clusterScoped("storage.k8s.io", "v1", "StorageClass", storageClass),
      path: ["spec", "storageClassName"],
      why: "no volume is made for the claim, and none that is there has this class",
      isAwaited: true,
    },
  ];
}

const accountAnnotation = "kubernetes.io/service-account.name";

/** Every namespace has the account `default`. */
function ofToken(secret: KubeObject): readonly ObjectNeed[] {
  const name = annotation(secret, accountAnnotation) ?? "";
  const isToken = textAt(secret, "type") === "kubernetes.io/service-account-token";
  if (!isToken || name === "" || name === "default") return [];
  const { namespace } = idOf(secret);
  return [
    {
      id: { group: "", kind: "ServiceAccount", namespace, name },
      apiVersion: "v1",
      path: ["metadata", "annotations", accountAnnotation],
      why: "the control plane deletes the token of an account that is not there as soon as it is made",
      isAwaited: true,
    },
  ];
}

function ofIngress(ingress: KubeObject): readonly ObjectNeed[] {
  const name = textAt(ingress, "spec", "ingressClassName") ?? "";
  const itsClass: readonly ObjectNeed[] = [
    {
      ...clusterScoped("networking.k8s.io", "v1", "IngressClass", name),
      path: ["spec", "ingressClassName"],
      why: "a controller serves only the Ingresses of its class",
      isAwaited: false,
    },
  ];
  const paths = listAt(ingress, "spec", "rules").flatMap((rule, index) =>
    listAt(rule, "http", "paths").flatMap((path, number) =>
      ofBackend(ingress, at(path, "backend"), [
        ...["spec", "rules", String(index), "http", "paths", String(number), "backend"],
      ]),
    ),
  );
  const place = ["spec", "defaultBackend"];
  const fallback = ofBackend(ingress, at(ingress, ...place), place);
  return [...(name === "" ? [] : itsClass), ...fallback, ...paths];
}

/** By this name of a port the AWS Load Balancer Controller takes the Service for the name of an annotation. */
const byAnnotation = "use-annotation";

function ofBackend(
  ingress: KubeObject,
  backend: Json | undefined,
  path: readonly string[],
): readonly ObjectNeed[] {
  const name = textAt(backend, "service", "name") ?? "";
  if (name === "" || textAt(backend, "service", "port", "name") === byAnnotation) return [];
  const why = "requests to it are answered with an error";
  return [within(ingress, "Service", name, [...path, "service", "name"], why)];
}

/** An account may come later, as from another deployment: whom a binding gives rights is not looked for. */
function ofBinding(binding: KubeObject): readonly ObjectNeed[] {
  const path = ["roleRef", "name"];
  const [kind = "", name = ""] = [textAt(binding, "roleRef", "kind"), textAt(binding, ...path)];
  if (name === "" || !["Role", "ClusterRole"].includes(kind)) return [];
  const group = "rbac.authorization.k8s.io";
  const namespace = kind === "Role" ? idOf(binding).namespace : "";
  const id = { group, kind, namespace, name };
  return [{ id, apiVersion: `${group}/v1`, path, why: "it grants nothing", isAwaited: false }];
}

function ofPolicyBinding({ apiVersion, kind, ...rest }: KubeObject): readonly ObjectNeed[] {
  const path = ["spec", "policyName"];
  const name = textAt(rest, ...path) ?? "";
  if (name === "") return [];
  const { group } = idOf({ apiVersion, kind, ...rest });
  const id = { group, kind: kind.replace(/Binding$/, ""), namespace: "", name };
  return [{ id, apiVersion, path, why: "it decides about nothing", isAwaited: false }];
}

function ofRoute(route: KubeObject): readonly ObjectNeed[] {
  const parents = listAt(route, "spec", "parentRefs").flatMap((reference, index) => {
    const path = ["spec", "parentRefs", String(index), "name"];
    const gateway = referred(route, reference, ["gateway.networking.k8s.io", "Gateway"]);
    const why = "no Gateway takes its requests";
    return gateway === undefined ? [] : [{ ...gateway, path, why, isAwaited: false }];
  });
  const backends = listAt(route, "spec", "rules").flatMap((rule, index) =>
    listAt(rule, "backendRefs").flatMap((reference, number) => {
      const place = ["spec", "rules", String(index), "backendRefs", String(number), "name"];
      const service = referred(route, reference, ["", "Service"]);
      const why = "requests to it are answered with an error";
      return service === undefined ? [] : [{ ...service, path: place, why, isAwaited: false }];
    }),
  );
  return [...parents, ...backends];
}

/** A reference of Gateway API, where it is of that kind, which is the one that counts where none is named. */
function referred(
  route: KubeObject,
  reference: Json,
  [group, kind]: readonly [group: string, kind: string],
): Pick<ObjectNeed, "id" | "apiVersion"> | undefined {
  const name = textAt(reference, "name");
  const isOther =
    (textAt(reference, "kind") ?? kind) !== kind || (textAt(reference, "group") ?? group) !== group;
  if (name === undefined || isOther) return undefined;
  const namespace = textAt(reference, "namespace") ?? idOf(route).namespace;
  const apiVersion = group === "" ? "v1" : route.apiVersion;
  return { id: { group, kind, namespace, name }, apiVersion };
}

/** The deployment waits for an APIService; what webhooks that fail open would say is only missed. */
function whatServes(object: KubeObject): readonly ObjectNeed[] {
  return servingServices(object)
    .filter(({ isNeeded }) => isNeeded)
    .map(({ id, path }) => ({
      id,
      apiVersion: "v1",
      path: [...path, "name"],
      why: "what the API server has to ask it about is refused",
      isAwaited: object.kind === "APIService",
    }));
}

function within(
  object: KubeObject,
  kind: string,
  name: string,
  path: readonly string[],
  why: string,
): ObjectNeed {
  const { namespace } = idOf(object);
  return {
    id: { group: "", kind, namespace, name },
    apiVersion: "v1",
    path,
    why,
    isAwaited: false,
  };
}

/** What a controller of Kubernetes scales, or of Argo Rollouts: operators may make anything else. */
const scaled: ReadonlySet<string> = new Set([
  ...["apps/Deployment", "apps/StatefulSet", "apps/ReplicaSet", "argoproj.io/Rollout"],
]);

function ofScaler(scaler: KubeObject): readonly ObjectNeed[] {
  const [apiVersion = "", kind = "", name = ""] = ["apiVersion", "kind", "name"].map((field) =>
    textAt(scaler, "spec", "scaleTargetRef", field),
  );
  const group = groupOf(apiVersion);
  if (name === "" || !scaled.has(`${group}/${kind}`)) return [];
  return [
    {
      id: { group, kind, namespace: idOf(scaler).namespace, name },
      apiVersion,
      path: ["spec", "scaleTargetRef", "name"],
      why: "it scales nothing else",
      isAwaited: false,
      isOfOperators: true,
    },
  ];
}

const services = [
  ["blueGreen", "activeService"],
  ["blueGreen", "previewService"],
  ["canary", "stableService"],
  ["canary", "canaryService"],
] as const;

const analyses = [
  ["blueGreen", "prePromotionAnalysis"],
  ["blueGreen", "postPromotionAnalysis"],
  ["canary", "analysis"],
] as const;

/** Its controller finds the Rollout invalid without any of them, and starts no Pod (`ValidateRolloutReferencedResources`). */
function ofRollout(rollout: KubeObject): readonly ObjectNeed[] {
  const { namespace } = idOf(rollout);
  const isAwaited = at(rollout, "spec", "paused") !== true;
  const why = "the Rollout is invalid without it, and makes no Pod";
  const found = services.flatMap((field): readonly ObjectNeed[] => {
    const path = ["spec", "strategy", ...field];
    const name = textAt(rollout, ...path) ?? "";
    const id = { group: "", kind: "Service", namespace, name };
    return name === "" ? [] : [{ id, apiVersion: "v1", path, why, isAwaited }];
  });
  const strategy = at(rollout, "spec", "strategy");
  const steps = listAt(strategy, "canary", "steps").map((step, index) => ({
    field: ["canary", "steps", String(index), "analysis"],
    analysis: at(step, "analysis"),
  }));
  const others = analyses.map((field) => ({ field, analysis: at(strategy, ...field) }));
  const templates = [...others, ...steps].flatMap(({ field, analysis }) => {
    const path = ["spec", "strategy", ...field, "templates"];
    return listAt(analysis, "templates").flatMap((template, index): readonly ObjectNeed[] => {
      const name = textAt(template, "templateName") ?? "";
      const ofCluster = at(template, "clusterScope") === true;
      const kind = ofCluster ? "ClusterAnalysisTemplate" : "AnalysisTemplate";
      const id = { group: "argoproj.io", kind, namespace: ofCluster ? "" : namespace, name };
      const { apiVersion } = rollout;
      const place = [...path, String(index), "templateName"];
      return name === "" ? [] : [{ id, apiVersion, path: place, why, isAwaited }];
    });
  });
  return [...found, ...templates];
}

function clusterScoped(group: string, version: string, kind: string, name: string) {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { id: { group, kind, namespace: "", name }, apiVersion };
}

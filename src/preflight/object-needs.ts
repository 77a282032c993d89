import { at, listAt, textAt } from "../model/json.ts";
import { annotation, groupOf, idOf, type KubeObject, type ObjectId } from "../model/object.ts";
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

/** What these changes bring that names such an object by itself: a class that the server fills in is there. */
export function changesWithNeeds(
  changes: readonly Change[],
): readonly { readonly change: Change; readonly needs: readonly ObjectNeed[] }[] {
  return changes.flatMap((change) => {
    const needs = change.action === "unchanged" ? [] : objectNeeds(change.desired);
    return needs.length === 0 ? [] : [{ change, needs }];
  });
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
    default:
      return [];
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
  if (name === "") return [];
  return [
    {
      ...clusterScoped("networking.k8s.io", "v1", "IngressClass", name),
      path: ["spec", "ingressClassName"],
      why: "a controller serves only the Ingresses of its class",
      isAwaited: false,
    },
  ];
}

function ofScaler(scaler: KubeObject): readonly ObjectNeed[] {
  const [apiVersion = "", kind = "", name = ""] = ["apiVersion", "kind", "name"].map((field) =>
    textAt(scaler, "spec", "scaleTargetRef", field),
  );
  if (apiVersion === "" || kind === "" || name === "") return [];
  return [
    {
      id: { group: groupOf(apiVersion), kind, namespace: idOf(scaler).namespace, name },
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

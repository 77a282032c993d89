import { textAt } from "../model/json.ts";
import { annotation, idOf, type KubeObject, type ObjectId } from "../model/object.ts";
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

function clusterScoped(group: string, version: string, kind: string, name: string) {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { id: { group, kind, namespace: "", name }, apiVersion };
}

import { at, fieldOf, isObject, type Json, listAt, textAt } from "../json.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../object.ts";
import { scaleTarget } from "./scalers.ts";
import { servingServices } from "./serving-services.ts";

/** An object that another object names. See pods.ts for the references of Pod specs. */
export interface Reference {
  readonly id: ObjectId;
  /** The version that qvs reads the object with. */
  readonly apiVersion: string;
  /** The path of the name. */
  readonly path: readonly string[];
  /** True if the object that contains the reference works without the target. */
  readonly isOptional?: boolean;
}

/** Returns the references in the order of the object, including repeated ones. */
export function referencesOf(object: KubeObject): readonly Reference[] {
  const { group, kind } = idOf(object);
  const read = fieldOf(readers, `${group}/${kind}`) ?? ofAnyKind;
  return read({ object, value: object, path: [] });
}

/** A value in an object, with its path. */
interface Place {
  readonly object: KubeObject;
  readonly value: Json | undefined;
  readonly path: readonly string[];
}

type Read = (object: Place) => readonly Reference[];

const gatewayApi = "gateway.networking.k8s.io";
const accountAnnotation = "kubernetes.io/service-account.name";

const readers: Readonly<Record<string, Read>> = {
  "/PersistentVolumeClaim": (claim) => [
    ...named(volume, below(claim, "spec", "volumeName")),
    ...named(storageClass, below(claim, "spec", "storageClassName")),
  ],
  "/Secret": (secret) =>
    textAt(secret.value, "type") === "kubernetes.io/service-account-token"
      ? named(serviceAccount, below(secret, "metadata", "annotations", accountAnnotation))
      : [],
  "/ServiceAccount": (account) =>
    items(account, "imagePullSecrets").flatMap((each) => named(secret, below(each, "name"))),
  "apps/StatefulSet": (set) =>
    items(set, "spec", "volumeClaimTemplates").flatMap((claim) =>
      named(storageClass, below(claim, "spec", "storageClassName")),
    ),
  "networking.k8s.io/Ingress": ofIngress,
  "rbac.authorization.k8s.io/RoleBinding": ofBinding,
  "rbac.authorization.k8s.io/ClusterRoleBinding": ofBinding,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": ofPolicyBinding,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": ofPolicyBinding,
  [`${gatewayApi}/Gateway`]: (gateway) =>
    named(
      { apiVersion: gateway.object.apiVersion, kind: "GatewayClass", isOfCluster: true },
      below(gateway, "spec", "gatewayClassName"),
    ),
  ...Object.fromEntries(
    ["HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"].map((kind) => [
      `${gatewayApi}/${kind}`,
      ofRoute,
    ]),
  ),
  "argoproj.io/Rollout": ofRollout,
  "external-secrets.io/ExternalSecret": (secret) => ofStores(secret, "spec"),
  "external-secrets.io/ClusterExternalSecret": (secret) =>
    ofStores(secret, "spec", "externalSecretSpec"),
  "external-secrets.io/PushSecret": (secret) =>
    items(secret, "spec", "secretStoreRefs").flatMap(ofStore),
  "cert-manager.io/Certificate": ofIssuer,
  "cert-manager.io/CertificateRequest": ofIssuer,
};

/** A kind with its version, and true if its objects are cluster-scoped. */
interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isOfCluster?: boolean;
}

const service: Target = { apiVersion: "v1", kind: "Service" };
const secret: Target = { apiVersion: "v1", kind: "Secret" };
const serviceAccount: Target = { apiVersion: "v1", kind: "ServiceAccount" };
const volume: Target = { apiVersion: "v1", kind: "PersistentVolume", isOfCluster: true };
const storageClass: Target = {
  ...{ apiVersion: "storage.k8s.io/v1", kind: "StorageClass" },
  isOfCluster: true,
};
const ingressClass: Target = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "IngressClass" },
  isOfCluster: true,
};

function below({ object, value, path }: Place, ...steps: readonly string[]): Place {
  return { object, value: at(value, ...steps), path: [...path, ...steps] };
}

function items(place: Place, ...steps: readonly string[]): readonly Place[] {
  const list = below(place, ...steps);
  return listAt(list.value).map((value, index) => ({
    ...{ object: place.object, value },
    path: [...list.path, String(index)],
  }));
}

/**
 * Returns the reference to the name at a place.
 * By default, the target is in the namespace of the object that names it.
 */
function named(
  { apiVersion, kind, isOfCluster = false }: Target,
  { object, value, path }: Place,
  namespace = idOf(object).namespace,
): readonly Reference[] {
  if (typeof value !== "string" || value === "") return [];
  const place = { namespace: isOfCluster ? "" : namespace, name: value };
  return [{ id: { group: groupOf(apiVersion), kind, ...place }, apiVersion, path }];
}

function ofIngress(ingress: Place): readonly Reference[] {
  const paths = items(ingress, "spec", "rules").flatMap((rule) => items(rule, "http", "paths"));
  return [
    ...named(ingressClass, below(ingress, "spec", "ingressClassName")),
    ...ofBackend(below(ingress, "spec", "defaultBackend")),
    ...paths.flatMap((path) => ofBackend(below(path, "backend"))),
    ...items(ingress, "spec", "tls").flatMap((tls) => named(secret, below(tls, "secretName"))),
  ];
}

/**
 * The port name that makes the AWS Load Balancer Controller use the Service name as an annotation
 * name.
 */
const byAnnotation = "use-annotation";

function ofBackend(backend: Place): readonly Reference[] {
  return textAt(backend.value, "service", "port", "name") === byAnnotation
    ? []
    : named(service, below(backend, "service", "name"));
}

function ofBinding(binding: Place): readonly Reference[] {
  const kind = textAt(binding.value, "roleRef", "kind") ?? "";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const role: Target = { apiVersion, kind, isOfCluster: kind === "ClusterRole" };
  const accounts = items(binding, "subjects").filter(
    ({ value }) => textAt(value, "kind") === "ServiceAccount",
  );
  return [
    ...(["Role", "ClusterRole"].includes(kind)
      ? named(role, below(binding, "roleRef", "name"))
      : []),
    ...accounts.flatMap((account) =>
      named(serviceAccount, below(account, "name"), textAt(account.value, "namespace")),
    ),
  ];
}

function ofPolicyBinding(binding: Place): readonly Reference[] {
  const { apiVersion, kind } = binding.object;
  const policy = { apiVersion, kind: kind.replace(/Binding$/, ""), isOfCluster: true };
  return named(policy, below(binding, "spec", "policyName"));
}

/** Returns the reference of a Rollout to the workload whose template it uses. */
function ofTarget(target: Place): readonly Reference[] {
  const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((field) =>
    textAt(target.value, field),
  );
  return kind === "" ? [] : named({ apiVersion, kind }, below(target, "name"));
}

function ofRoute(route: Place): readonly Reference[] {
  const gateway: Target = { apiVersion: route.object.apiVersion, kind: "Gateway" };
  const backends = items(route, "spec", "rules").flatMap((rule) => items(rule, "backendRefs"));
  return [
    ...items(route, "spec", "parentRefs").flatMap((parent) => ofGatewayApi(gateway, parent)),
    ...backends.flatMap((backend) => ofGatewayApi(service, backend)),
  ];
}

/**
 * Returns a reference of the Gateway API.
 * It targets its usual kind in the same namespace, unless it names another one.
 */
function ofGatewayApi(usual: Target, reference: Place): readonly Reference[] {
  const group = textAt(reference.value, "group") ?? groupOf(usual.apiVersion);
  const kind = textAt(reference.value, "kind") ?? usual.kind;
  // A reference doesn't contain a version. For another group, qvs assumes v1.
  const apiVersion = group === groupOf(usual.apiVersion) ? usual.apiVersion : `${group}/v1`;
  const namespace = textAt(reference.value, "namespace");
  return named({ apiVersion, kind }, below(reference, "name"), namespace);
}

const switched = [
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

function ofRollout(rollout: Place): readonly Reference[] {
  const strategy = below(rollout, "spec", "strategy");
  const steps = items(strategy, "canary", "steps").map((step) => below(step, "analysis"));
  const analysed = [...analyses.map((field) => below(strategy, ...field)), ...steps];
  return [
    ...ofTarget(below(rollout, "spec", "workloadRef")),
    ...switched.flatMap((field) => named(service, below(strategy, ...field))),
    ...analysed.flatMap((analysis) => items(analysis, "templates").flatMap(ofAnalysis)),
  ];
}

function ofAnalysis(template: Place): readonly Reference[] {
  const { apiVersion } = template.object;
  const isOfCluster = at(template.value, "clusterScope") === true;
  const kind = isOfCluster ? "ClusterAnalysisTemplate" : "AnalysisTemplate";
  return named({ apiVersion, kind, isOfCluster }, below(template, "templateName"));
}

/**
 * Returns the stores of an ExternalSecret: one for all its data, and other ones for single entries.
 */
function ofStores(secret: Place, ...steps: readonly string[]): readonly Reference[] {
  const spec = below(secret, ...steps);
  return [
    ...ofStore(below(spec, "secretStoreRef")),
    ...items(spec, "data").flatMap((each) => ofStore(below(each, "sourceRef", "storeRef"))),
    ...items(spec, "dataFrom").flatMap((each) => ofStore(below(each, "sourceRef", "storeRef"))),
  ];
}

function ofStore(reference: Place): readonly Reference[] {
  const { apiVersion } = reference.object;
  const kind = textAt(reference.value, "kind") ?? "SecretStore";
  const target = { apiVersion, kind, isOfCluster: kind === "ClusterSecretStore" };
  return named(target, below(reference, "name"));
}

/**
 * Returns the issuer of a certificate.
 * The reference doesn't contain a version. For an issuer of another group, qvs assumes v1.
 */
function ofIssuer(certificate: Place): readonly Reference[] {
  const reference = below(certificate, "spec", "issuerRef");
  const kind = textAt(reference.value, "kind") ?? "Issuer";
  const group = textAt(reference.value, "group") ?? groupOf(certificate.object.apiVersion);
  const isOwn = group === groupOf(certificate.object.apiVersion);
  const apiVersion = isOwn ? certificate.object.apiVersion : `${group}/v1`;
  return named(
    { apiVersion, kind, isOfCluster: kind.startsWith("Cluster") },
    below(reference, "name"),
  );
}

/** Returns the references that objects of many kinds have: scale targets and serving Services. */
function ofAnyKind(place: Place): readonly Reference[] {
  return [...ofScaler(below(place, "spec", "scaleTargetRef")), ...ofServices(place)];
}

function ofScaler(target: Place): readonly Reference[] {
  return isObject(target.value) ? named(scaleTarget(target.value), below(target, "name")) : [];
}

/**
 * Returns the Services that the API server calls. Such a Service is optional if its failure policy
 * ignores errors.
 */
function ofServices({ object }: Place): readonly Reference[] {
  return servingServices(object).map(({ id, path, isNeeded }) => ({
    ...{ id, apiVersion: "v1", path: [...path, "name"] },
    isOptional: !isNeeded,
  }));
}

import { at, fieldOf, isObject, type Json, listAt, textAt } from "../json.ts";
import { kindKey } from "../kinds.ts";
import { groupOf, idOf, type KubeObject, type ObjectId } from "../object.ts";
import { calledServices } from "./called-services.ts";
import { scaleTarget } from "./scalers.ts";

/** An object that another object names. See pods.ts for the references of Pod specs. */
export interface ObjectReference {
  readonly id: ObjectId;
  /** The version that qvs reads the object with. */
  readonly apiVersion: string;
  /** The path of the name. */
  readonly path: readonly string[];
  /** True if the object that contains the reference works without the target. */
  readonly isOptional?: boolean;
}

/** Returns the references in the order of the object, including repeated ones. */
export function objectReferences(object: KubeObject): readonly ObjectReference[] {
  const read = fieldOf(readers, kindKey(idOf(object))) ?? commonReferences;
  return read({ object, value: object, path: [] });
}

/** A value in an object, with its path. */
interface LocatedValue {
  readonly object: KubeObject;
  readonly value: Json | undefined;
  readonly path: readonly string[];
}

type ReferenceReader = (object: LocatedValue) => readonly ObjectReference[];

const gatewayApi = "gateway.networking.k8s.io";
const serviceAccountAnnotation = "kubernetes.io/service-account.name";

const readers: Readonly<Record<string, ReferenceReader>> = {
  "/PersistentVolumeClaim": (claim) => [
    ...namedReference(volume, valueBelow(claim, "spec", "volumeName")),
    ...namedReference(storageClass, valueBelow(claim, "spec", "storageClassName")),
  ],
  "/Secret": (secret) =>
    textAt(secret.value, "type") === "kubernetes.io/service-account-token"
      ? namedReference(
          serviceAccount,
          valueBelow(secret, "metadata", "annotations", serviceAccountAnnotation),
        )
      : [],
  "/ServiceAccount": (account) =>
    listItems(account, "imagePullSecrets").flatMap((each) =>
      namedReference(secret, valueBelow(each, "name")),
    ),
  "apps/StatefulSet": (set) =>
    listItems(set, "spec", "volumeClaimTemplates").flatMap((claim) =>
      namedReference(storageClass, valueBelow(claim, "spec", "storageClassName")),
    ),
  "networking.k8s.io/Ingress": ingressReferences,
  "rbac.authorization.k8s.io/RoleBinding": bindingReferences,
  "rbac.authorization.k8s.io/ClusterRoleBinding": bindingReferences,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": policyBindingReferences,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": policyBindingReferences,
  [`${gatewayApi}/Gateway`]: (gateway) =>
    namedReference(
      { apiVersion: gateway.object.apiVersion, kind: "GatewayClass", isOfCluster: true },
      valueBelow(gateway, "spec", "gatewayClassName"),
    ),
  ...Object.fromEntries(
    ["HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"].map((kind) => [
      `${gatewayApi}/${kind}`,
      routeReferences,
    ]),
  ),
  "argoproj.io/Rollout": rolloutReferences,
  "external-secrets.io/ExternalSecret": (secret) => secretStoresReferences(secret, "spec"),
  "external-secrets.io/ClusterExternalSecret": (secret) =>
    secretStoresReferences(secret, "spec", "externalSecretSpec"),
  "external-secrets.io/PushSecret": (secret) =>
    listItems(secret, "spec", "secretStoreRefs").flatMap(secretStoreReference),
  "cert-manager.io/Certificate": issuerReferences,
  "cert-manager.io/CertificateRequest": issuerReferences,
};

/** A kind with its version, and true if its objects are cluster-scoped. */
interface TargetKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isOfCluster?: boolean;
}

const service: TargetKind = { apiVersion: "v1", kind: "Service" };
const secret: TargetKind = { apiVersion: "v1", kind: "Secret" };
const serviceAccount: TargetKind = { apiVersion: "v1", kind: "ServiceAccount" };
const volume: TargetKind = { apiVersion: "v1", kind: "PersistentVolume", isOfCluster: true };
const storageClass: TargetKind = {
  ...{ apiVersion: "storage.k8s.io/v1", kind: "StorageClass" },
  isOfCluster: true,
};
const ingressClass: TargetKind = {
  ...{ apiVersion: "networking.k8s.io/v1", kind: "IngressClass" },
  isOfCluster: true,
};

function valueBelow(
  { object, value, path }: LocatedValue,
  ...steps: readonly string[]
): LocatedValue {
  return { object, value: at(value, ...steps), path: [...path, ...steps] };
}

function listItems(place: LocatedValue, ...steps: readonly string[]): readonly LocatedValue[] {
  const list = valueBelow(place, ...steps);
  return listAt(list.value).map((value, index) => ({
    ...{ object: place.object, value },
    path: [...list.path, String(index)],
  }));
}

/**
 * Returns the reference to the name at a place.
 * By default, the target is in the namespace of the object that names it.
 */
function namedReference(
  { apiVersion, kind, isOfCluster = false }: TargetKind,
  { object, value, path }: LocatedValue,
  namespace = idOf(object).namespace,
): readonly ObjectReference[] {
  if (typeof value !== "string" || value === "") return [];
  const place = { namespace: isOfCluster ? "" : namespace, name: value };
  return [{ id: { group: groupOf(apiVersion), kind, ...place }, apiVersion, path }];
}

function ingressReferences(ingress: LocatedValue): readonly ObjectReference[] {
  const paths = listItems(ingress, "spec", "rules").flatMap((rule) =>
    listItems(rule, "http", "paths"),
  );
  return [
    ...namedReference(ingressClass, valueBelow(ingress, "spec", "ingressClassName")),
    ...backendReferences(valueBelow(ingress, "spec", "defaultBackend")),
    ...paths.flatMap((path) => backendReferences(valueBelow(path, "backend"))),
    ...listItems(ingress, "spec", "tls").flatMap((tls) =>
      namedReference(secret, valueBelow(tls, "secretName")),
    ),
  ];
}

/**
 * The port name that makes the AWS Load Balancer Controller use the Service name as an annotation
 * name.
 */
const annotationPortName = "use-annotation";

function backendReferences(backend: LocatedValue): readonly ObjectReference[] {
  return textAt(backend.value, "service", "port", "name") === annotationPortName
    ? []
    : namedReference(service, valueBelow(backend, "service", "name"));
}

function bindingReferences(binding: LocatedValue): readonly ObjectReference[] {
  const kind = textAt(binding.value, "roleRef", "kind") ?? "";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const role: TargetKind = { apiVersion, kind, isOfCluster: kind === "ClusterRole" };
  const accounts = listItems(binding, "subjects").filter(
    ({ value }) => textAt(value, "kind") === "ServiceAccount",
  );
  return [
    ...(["Role", "ClusterRole"].includes(kind)
      ? namedReference(role, valueBelow(binding, "roleRef", "name"))
      : []),
    ...accounts.flatMap((account) =>
      namedReference(
        serviceAccount,
        valueBelow(account, "name"),
        textAt(account.value, "namespace"),
      ),
    ),
  ];
}

function policyBindingReferences(binding: LocatedValue): readonly ObjectReference[] {
  const { apiVersion, kind } = binding.object;
  const policy = { apiVersion, kind: kind.replace(/Binding$/, ""), isOfCluster: true };
  return namedReference(policy, valueBelow(binding, "spec", "policyName"));
}

/** Returns the reference of a Rollout to the workload whose template it uses. */
function workloadReferences(target: LocatedValue): readonly ObjectReference[] {
  const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((field) =>
    textAt(target.value, field),
  );
  return kind === "" ? [] : namedReference({ apiVersion, kind }, valueBelow(target, "name"));
}

function routeReferences(route: LocatedValue): readonly ObjectReference[] {
  const gateway: TargetKind = { apiVersion: route.object.apiVersion, kind: "Gateway" };
  const backends = listItems(route, "spec", "rules").flatMap((rule) =>
    listItems(rule, "backendRefs"),
  );
  return [
    ...listItems(route, "spec", "parentRefs").flatMap((parent) =>
      gatewayApiReferences(gateway, parent),
    ),
    ...backends.flatMap((backend) => gatewayApiReferences(service, backend)),
  ];
}

/**
 * Returns a reference of the Gateway API.
 * It targets its usual kind in the same namespace, unless it names another one.
 */
function gatewayApiReferences(
  usual: TargetKind,
  reference: LocatedValue,
): readonly ObjectReference[] {
  const group = textAt(reference.value, "group") ?? groupOf(usual.apiVersion);
  const kind = textAt(reference.value, "kind") ?? usual.kind;
  // A reference doesn't contain a version. For another group, qvs assumes v1.
  const apiVersion = group === groupOf(usual.apiVersion) ? usual.apiVersion : `${group}/v1`;
  const namespace = textAt(reference.value, "namespace");
  return namedReference({ apiVersion, kind }, valueBelow(reference, "name"), namespace);
}

const rolloutServices = [
  ["blueGreen", "activeService"],
  ["blueGreen", "previewService"],
  ["canary", "stableService"],
  ["canary", "canaryService"],
] as const;

const rolloutAnalyses = [
  ["blueGreen", "prePromotionAnalysis"],
  ["blueGreen", "postPromotionAnalysis"],
  ["canary", "analysis"],
] as const;

function rolloutReferences(rollout: LocatedValue): readonly ObjectReference[] {
  const strategy = valueBelow(rollout, "spec", "strategy");
  const steps = listItems(strategy, "canary", "steps").map((step) => valueBelow(step, "analysis"));
  const analysisFields = [
    ...rolloutAnalyses.map((field) => valueBelow(strategy, ...field)),
    ...steps,
  ];
  return [
    ...workloadReferences(valueBelow(rollout, "spec", "workloadRef")),
    ...rolloutServices.flatMap((field) => namedReference(service, valueBelow(strategy, ...field))),
    ...analysisFields.flatMap((analysis) =>
      listItems(analysis, "templates").flatMap(analysisReferences),
    ),
  ];
}

function analysisReferences(template: LocatedValue): readonly ObjectReference[] {
  const { apiVersion } = template.object;
  const isOfCluster = at(template.value, "clusterScope") === true;
  const kind = isOfCluster ? "ClusterAnalysisTemplate" : "AnalysisTemplate";
  return namedReference({ apiVersion, kind, isOfCluster }, valueBelow(template, "templateName"));
}

/**
 * Returns the stores of an ExternalSecret: one for all its data, and other ones for single entries.
 */
function secretStoresReferences(
  secret: LocatedValue,
  ...steps: readonly string[]
): readonly ObjectReference[] {
  const spec = valueBelow(secret, ...steps);
  return [
    ...secretStoreReference(valueBelow(spec, "secretStoreRef")),
    ...listItems(spec, "data").flatMap((each) =>
      secretStoreReference(valueBelow(each, "sourceRef", "storeRef")),
    ),
    ...listItems(spec, "dataFrom").flatMap((each) =>
      secretStoreReference(valueBelow(each, "sourceRef", "storeRef")),
    ),
  ];
}

function secretStoreReference(reference: LocatedValue): readonly ObjectReference[] {
  const { apiVersion } = reference.object;
  const kind = textAt(reference.value, "kind") ?? "SecretStore";
  const target = { apiVersion, kind, isOfCluster: kind === "ClusterSecretStore" };
  return namedReference(target, valueBelow(reference, "name"));
}

/**
 * Returns the issuer of a certificate.
 * The reference doesn't contain a version. For an issuer of another group, qvs assumes v1.
 */
function issuerReferences(certificate: LocatedValue): readonly ObjectReference[] {
  const reference = valueBelow(certificate, "spec", "issuerRef");
  const kind = textAt(reference.value, "kind") ?? "Issuer";
  const group = textAt(reference.value, "group") ?? groupOf(certificate.object.apiVersion);
  const isOwn = group === groupOf(certificate.object.apiVersion);
  const apiVersion = isOwn ? certificate.object.apiVersion : `${group}/v1`;
  return namedReference(
    { apiVersion, kind, isOfCluster: kind.startsWith("Cluster") },
    valueBelow(reference, "name"),
  );
}

/** Returns the references that objects of many kinds have: scale targets and serving Services. */
function commonReferences(place: LocatedValue): readonly ObjectReference[] {
  return [
    ...scaleTargetReferences(valueBelow(place, "spec", "scaleTargetRef")),
    ...calledServiceReferences(place),
  ];
}

function scaleTargetReferences(target: LocatedValue): readonly ObjectReference[] {
  return isObject(target.value)
    ? namedReference(scaleTarget(target.value), valueBelow(target, "name"))
    : [];
}

/**
 * Returns the Services that the API server calls. Such a Service is optional if its failure policy
 * ignores errors.
 */
function calledServiceReferences({ object }: LocatedValue): readonly ObjectReference[] {
  return calledServices(object).map(({ id, path, isNeeded }) => ({
    ...{ id, apiVersion: "v1", path: [...path, "name"] },
    isOptional: !isNeeded,
  }));
}

import { kindKey } from "../kinds.ts";
import { idOf, type KubeObject } from "../object.ts";
import { gatedFieldsByKind, gatedPodFields } from "./gated-fields.ts";
import { podSpecOf } from "./pods.ts";
import { formatServerVersion, type ServerVersion } from "./server-version.ts";

/** The API versions of kinds that only some supported versions serve by default. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["networking.k8s.io/v1/IPAddress", "since Kubernetes 1.33"],
  ["networking.k8s.io/v1/ServiceCIDR", "since Kubernetes 1.33"],
  ["resource.k8s.io/v1/DeviceClass", "since Kubernetes 1.34"],
  ["resource.k8s.io/v1/ResourceClaim", "since Kubernetes 1.34"],
  ["resource.k8s.io/v1/ResourceClaimTemplate", "since Kubernetes 1.34"],
  ["resource.k8s.io/v1/ResourceSlice", "since Kubernetes 1.34"],
  ["storage.k8s.io/v1/VolumeAttributesClass", "since Kubernetes 1.34"],
  ["admissionregistration.k8s.io/v1/MutatingAdmissionPolicy", "since Kubernetes 1.36"],
  ["admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding", "since Kubernetes 1.36"],
  ["certificates.k8s.io/v1/ClusterTrustBundle", "since Kubernetes 1.37"],
  ["certificates.k8s.io/v1/PodCertificateRequest", "since Kubernetes 1.37"],
  ["resource.k8s.io/v1/DeviceTaintRule", "since Kubernetes 1.37"],
  ["storagemigration.k8s.io/v1/StorageVersionMigration", "since Kubernetes 1.37"],
  ["admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicy", "until Kubernetes 1.33"],
  [
    "admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicyBinding",
    "until Kubernetes 1.33",
  ],
]);

/** The names and versions of the kinds above, for a test. */
export const introducedKinds: Iterable<readonly [key: string, text: string]> = kinds;

/** Describes the versions that serve a built-in kind; undefined for kinds of all versions. */
export function kindVersions(
  apiVersion: string,
  kind: string,
  server: ServerVersion | undefined,
): string | undefined {
  const versions = kinds.get(`${apiVersion}/${kind}`);
  return versions && withServer(versions, server);
}

/**
 * Describes the versions that have a field; undefined for fields that qvs doesn't know as new. The
 * path is the API server's, such as `spec.containers[name="web"].restartPolicyRules`.
 */
export function fieldVersions(
  object: KubeObject,
  path: string,
  server: ServerVersion | undefined,
): string | undefined {
  const steps = path.replaceAll(/\[[^\]]*\]/g, "");
  const pods = podSpecOf(object)?.path.join(".");
  const places = [
    { prefix: "spec", fields: gatedFieldsByKind.get(kindKey(idOf(object))) ?? [] },
    { prefix: pods, fields: pods === undefined ? [] : gatedPodFields },
  ];
  const found = places.flatMap(({ prefix, fields }) =>
    fields.filter((field) => `${prefix}.${plainPath(field.path)}` === steps),
  );
  const added = found[0]?.added;
  return added === undefined ? undefined : withServer(`since Kubernetes 1.${added}`, server);
}

function plainPath(path: readonly string[]): string {
  return path.filter((step) => step !== "*").join(".");
}

function withServer(versions: string, server: ServerVersion | undefined): string {
  return server === undefined
    ? versions
    : `${versions}; this server is ${formatServerVersion(server)}`;
}

import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  managedByLabel,
  managedByValue,
  releaseNamespaceLabel,
  revisionAnnotation,
  stageLabel,
} from "../../model/annotations.ts";
import { reservedUse } from "../../model/cluster/deployment-lock.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import {
  idOf,
  isKubeObject,
  type KubeObject,
  nameError,
  nameOf,
  namespaceError,
} from "../../model/object.ts";
import {
  declarationPlaces,
  type Fact,
  failed,
  ok,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import {
  duplicateItems,
  withCanonicalData,
  withPortProtocols,
  wrongStringData,
} from "./canonical-form.ts";
import type { FindNullRules } from "./manifest-nulls.ts";
import type { ShowOnly } from "./references.ts";

/** The place of a deployment's objects, and the cluster's facts about their kinds. */
export interface Placement {
  readonly deployment: string;
  /**
   * The namespace of the releases, the deployment lock, and namespaced objects that name no
   * namespace.
   */
  readonly namespace: string;
  /** Another namespace for namespaced objects that name none. */
  readonly onlyNamespace?: string | undefined;
  /** Returns undefined if the cluster doesn't serve the kind. */
  readonly isNamespaced: (apiVersion: string, kind: string) => boolean | undefined;
  /** Returns the cluster's reason for not serving a kind. It can name the version to use. */
  readonly whyUnserved?: (apiVersion: string, kind: string) => string | undefined;
  /** The rules for null in kinds that the manifests don't define; missing without a cluster. */
  readonly findNullRules?: FindNullRules;
  /** Set if qvs sends nothing, so that values of other providers can stay unknown. */
  readonly shown?: ShowOnly;
}

/**
 * Returns the normalized manifest (docs/reference/ownership.md#sent-manifest), or all its errors.
 * The nulls of the manifest are already settled.
 */
export function normalize(manifest: Manifest, placement: Placement): Result<KubeObject> {
  const { object } = manifest;
  if (!isKubeObject(object)) {
    return failed([shapeProblem(manifest)]);
  }
  const namespaced = placement.isNamespaced(object.apiVersion, object.kind);
  if (namespaced === undefined) return failed([unknownKind(manifest, object, placement)]);
  const placed = withNamespace(object, namespaced ? defaultNamespace(placement) : undefined);
  const faults = [...manifestFaults(placed), ...reservedNameFaults(placed, placement)];
  if (faults.length > 0)
    return failed(faults.map((fault) => faultProblem(manifest, placed, fault)));
  const labeled = withOwnLabels(placed, placement, manifest.stage);
  const sent = withPortProtocols(withCanonicalData(labeled));
  const duplicates = duplicateItems(sent).map((text) => duplicateProblem(manifest, sent, text));
  return duplicates.length > 0 ? failed(duplicates) : ok(sent);
}

function defaultNamespace({ namespace, onlyNamespace }: Placement): string {
  return onlyNamespace ?? namespace;
}

/** Returns the resource that declares an object. */
function resourceFact({ stage, id }: Pick<Manifest, "stage" | "id">): Fact {
  return { label: "resource", value: `${stage}/${id}` };
}

/**
 * Sets the namespace of a namespaced object and removes it from a cluster-scoped one.
 * That isn't an error: adapters put a namespace on all objects that they compose in `defer`, and
 * kubectl ignores it as well. With a namespace, one object would have two identities.
 */
function withNamespace(object: KubeObject, fallback: string | undefined): KubeObject {
  const { namespace, ...rest } = object.metadata;
  if (fallback === undefined) return { ...object, metadata: rest };
  const given = namespace === undefined || namespace === "" ? fallback : namespace;
  return { ...object, metadata: { ...rest, namespace: given } };
}

/**
 * Adds qvs's labels to the object only.
 * A label in a selector or a Pod template would change its selection.
 */
function withOwnLabels(
  object: KubeObject,
  { deployment, namespace }: Placement,
  stage: string,
): KubeObject {
  const labels = {
    ...(isObject(object.metadata.labels) ? object.metadata.labels : {}),
    [managedByLabel]: managedByValue,
    [deploymentLabel]: deployment,
    [releaseNamespaceLabel]: namespace,
    [stageLabel]: stage,
  };
  return { ...object, metadata: { ...object.metadata, labels } };
}

interface ManifestFault extends Pick<Problem, "code" | "why"> {
  /** The text after the name of the object. */
  readonly text: string;
  readonly fix?: string;
}

function manifestFaults(object: KubeObject): readonly ManifestFault[] {
  const { metadata } = object;
  const names = [nameError(object), namespaceError(metadata)].filter((text) => text !== undefined);
  const fields = [
    ...nonStrings(metadata, "labels"),
    ...nonStrings(metadata, "annotations"),
    ...[wrongStringData(object)].flat().filter((text) => text !== undefined),
  ];
  return [
    ...names.map((text): ManifestFault => ({ code: "invalid-name", text: ` ${text}` })),
    ...(metadata.generateName === undefined ? [] : [generatedName]),
    ...fields.map((text): ManifestFault => ({ code: "invalid-object", text: `: ${text}` })),
    ...wrongAnnotations(metadata),
  ];
}

/**
 * Rejects objects with the name of the deployment lock or of a release.
 * A lock that its holder rewrites, or a release with other content, would block or mislead every
 * later run. In a test without this rule, a deployment took its lock from itself by force,
 * and later deleted the lock that it held. It also wrote its Secret over its own release.
 */
function reservedNameFaults(object: KubeObject, placement: Placement): readonly ManifestFault[] {
  const use = reservedUse(idOf(object), placement);
  return use === undefined ? [] : [reservedName(use)];
}

function reservedName(use: string): ManifestFault {
  return {
    code: "invalid-name",
    text: ` has the name of ${use}`,
    why: "Only qvs writes an object with this name",
    fix: "Give the object another name",
  };
}

const generatedName: ManifestFault = {
  code: "invalid-name",
  text: " has metadata.generateName",
  why: "qvs can't find an object again if its name changes with every run",
  fix: "Set metadata.name instead of metadata.generateName",
};

function nonStrings(metadata: JsonObject, field: string): readonly string[] {
  const map = fieldOf(metadata, field);
  if (map === undefined) return [];
  if (!isObject(map)) return [`metadata.${field} isn't an object`];
  return Object.entries(map)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `${fieldPath(["metadata", field, name])} isn't a string`);
}

function wrongAnnotations({ annotations }: JsonObject): readonly ManifestFault[] {
  if (!isObject(annotations)) return [];
  return [
    ...(annotations[revisionAnnotation] === undefined ? [] : [revisionFault]),
    ...(annotations[keepOnDeleteAnnotation] === "" ? [missingKeyFault] : []),
  ];
}

const revisionFault: ManifestFault = {
  code: "invalid-annotation",
  text: ` has the annotation ${revisionAnnotation}`,
  why: "Only qvs writes this annotation",
  fix: "Remove the annotation from the adapter",
};

const missingKeyFault: ManifestFault = {
  code: "invalid-annotation",
  text: `: the annotation ${keepOnDeleteAnnotation} has no key`,
  fix: "Set the annotation to a key in the adapter",
};

function faultProblem(manifest: Manifest, object: KubeObject, fault: ManifestFault): Problem {
  const {
    code,
    text,
    why,
    fix = "Correct the value in the adapter or in the parameter that sets it",
  } = fault;
  return {
    code,
    what: `${nameOf(idOf(object))}${text}`,
    ...(why === undefined ? {} : { why }),
    facts: [resourceFact(manifest)],
    fix,
    where: declarationPlaces(manifest),
  };
}

function duplicateProblem(manifest: Manifest, object: KubeObject, text: string): Problem {
  return {
    code: "duplicate-key",
    what: `${nameOf(idOf(object))}: ${text}`,
    why: "The API server distinguishes the items of this list by that key",
    facts: [resourceFact(manifest)],
    fix: "Keep only one of the items",
    where: declarationPlaces(manifest),
  };
}

function shapeProblem(manifest: Manifest): Problem {
  return {
    code: "invalid-object",
    what: `Resource ${manifest.stage}/${manifest.id} isn't a Kubernetes object`,
    why: "A Kubernetes object needs apiVersion, kind and metadata",
    fix: "Add the missing fields in the adapter that declares it",
    where: declarationPlaces(manifest),
  };
}

function unknownKind(manifest: Manifest, object: KubeObject, { whyUnserved }: Placement): Problem {
  const { apiVersion, kind } = object;
  const answer = whyUnserved?.(apiVersion, kind);
  return {
    code: "unknown-kind",
    what: `${nameOf(idOf(object))}: the cluster doesn't serve ${kind} of ${apiVersion}`,
    facts: [
      resourceFact(manifest),
      ...(answer === undefined ? [] : [{ label: "answer", value: answer }]),
    ],
    fix: "Correct apiVersion and kind",
    otherwise: [
      "install the CustomResourceDefinition first",
      "declare the CustomResourceDefinition in appSetup",
    ],
    where: declarationPlaces(manifest),
  };
}

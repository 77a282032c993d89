import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  managedByLabel,
  managedByValue,
  revisionAnnotation,
  stageLabel,
} from "../../model/annotations.ts";
import type { Manifest } from "../../model/compilation.ts";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import { wrongName, wrongNamespace } from "../../model/name-rules.ts";
import { idOf, isKubeObject, type KubeObject, nameOf } from "../../model/object.ts";
import { declaredAt, failed, ok, type Problem, type Result } from "../../model/problem.ts";
import { duplicateItems } from "./list-keys.ts";
import { withPortProtocols } from "./port-protocols.ts";
import { withCanonicalData, wrongStringData } from "./secret-data.ts";

/** Where a deployment puts its objects, and what the cluster knows of their kinds. */
export interface Placement {
  readonly deployment: string;
  /** For objects of namespaced kinds that name none. */
  readonly namespace: string;
  /** undefined when the cluster serves no such kind. */
  readonly isNamespaced: (apiVersion: string, kind: string) => boolean | undefined;
}

/** A manifest as it is sent to the server (deploy.md §2), or everything that is wrong with it. */
export function normalize(manifest: Manifest, placement: Placement): Result<KubeObject> {
  const stripped = withoutServerFields(manifest.object);
  if (!isKubeObject(stripped) || !isObject(stripped.metadata)) {
    return failed([shapeProblem(manifest)]);
  }
  const namespaced = placement.isNamespaced(stripped.apiVersion, stripped.kind);
  if (namespaced === undefined) return failed([unknownKind(manifest, stripped)]);
  const placed = withNamespace(stripped, namespaced ? placement.namespace : undefined);
  const faults = faultsOf(placed);
  if (faults.length > 0) return failed(faults.map((fault) => problemOf(manifest, placed, fault)));
  const labelled = withOwnLabels(placed, placement.deployment, manifest.stage);
  const sent = withPortProtocols(withCanonicalData(labelled));
  const duplicates = duplicateItems(sent).map((text) => duplicate(manifest, sent, text));
  return duplicates.length > 0 ? failed(duplicates) : ok(sent);
}

/** How a declared object is named to people: by itself and by the resource that declares it. */
function declaredName(object: KubeObject, manifest: Pick<Manifest, "stage" | "id">): string {
  return `${nameOf(idOf(object))} (resource ${manifest.stage}/${manifest.id})`;
}

function withoutServerFields(object: JsonObject): JsonObject {
  const { status: _status, provider: _provider, output: _output, ...rest } = object;
  if (!isObject(rest.metadata)) return withoutNulls(rest);
  const { creationTimestamp: _created, managedFields: _fields, ...metadata } = rest.metadata;
  return withoutNulls({ ...rest, metadata });
}

/** A null in a map would delete a default or, in a custom resource, be kept as a value; in a list it is an item. */
function withoutNulls(object: JsonObject): JsonObject {
  const fields = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNullFields(value)]));
}

function withoutNullFields(value: Json): Json {
  if (isList(value)) return value.map(withoutNullFields);
  return isObject(value) ? withoutNulls(value) : value;
}

/**
 * A namespace on an object of a cluster-scoped kind is dropped, not refused: adapters put one on everything they
 * compose in `defer`, and kubectl ignores it as well. What is kept would make two identities of one object.
 */
function withNamespace(object: KubeObject, fallback: string | undefined): KubeObject {
  const { namespace, ...rest } = object.metadata;
  if (fallback === undefined) return { ...object, metadata: rest };
  const given = namespace === undefined || namespace === "" ? fallback : namespace;
  return { ...object, metadata: { ...rest, namespace: given } };
}

/** Only the object's own labels: a label added to a selector or a Pod template would change what it selects. */
function withOwnLabels(object: KubeObject, deployment: string, stage: string): KubeObject {
  const labels = {
    ...(isObject(object.metadata.labels) ? object.metadata.labels : {}),
    [managedByLabel]: managedByValue,
    [deploymentLabel]: deployment,
    [stageLabel]: stage,
  };
  return { ...object, metadata: { ...object.metadata, labels } };
}

function faultsOf(object: KubeObject): readonly string[] {
  const { metadata } = object;
  return [
    wrongName(object),
    wrongNamespace(metadata),
    metadata.generateName === undefined ? undefined : "has metadata.generateName",
    ...nonTexts(metadata, "labels"),
    ...nonTexts(metadata, "annotations"),
    ...wrongAnnotations(metadata),
    ...wrongStringData(object),
  ].filter((fault) => fault !== undefined);
}

function nonTexts(metadata: JsonObject, field: string): readonly string[] {
  const map = metadata[field];
  if (map === undefined) return [];
  if (!isObject(map)) return [`has metadata.${field} that isn't a map of texts`];
  return Object.entries(map)
    .filter(([, value]) => typeof value !== "string")
    .map(([name]) => `has a value in metadata.${field} "${name}" that isn't text`);
}

function wrongAnnotations(metadata: JsonObject): readonly string[] {
  if (!isObject(metadata.annotations)) return [];
  const faults: string[] = [];
  if (metadata.annotations[revisionAnnotation] !== undefined) {
    faults.push(`has the annotation ${revisionAnnotation}, which only this program writes`);
  }
  if (metadata.annotations[keepOnDeleteAnnotation] === "") {
    faults.push(`has the annotation ${keepOnDeleteAnnotation} without a key`);
  }
  return faults;
}

function problemOf(manifest: Manifest, object: KubeObject, fault: string): Problem {
  const fix = fault.includes("generateName")
    ? "Give it a fixed metadata.name instead: an object whose name changes with every run can't be found again"
    : "Correct it in the adapter, or in the parameters that it is made from";
  return { what: `${declaredName(object, manifest)} ${fault}`, fix, where: declaredAt(manifest) };
}

function duplicate(manifest: Manifest, object: KubeObject, text: string): Problem {
  return {
    what: `${declaredName(object, manifest)}: ${text}`,
    fix: "Leave one of them: the server tells the items of this list apart by that key",
    where: declaredAt(manifest),
  };
}

function shapeProblem(manifest: Manifest): Problem {
  return {
    what: `Resource ${manifest.stage}/${manifest.id} isn't a Kubernetes object: it needs apiVersion, kind and metadata`,
    fix: "Add what is missing in the adapter that declares it",
    where: declaredAt(manifest),
  };
}

function unknownKind(manifest: Manifest, object: KubeObject): Problem {
  return {
    what: `${declaredName(object, manifest)}: the cluster serves no kind ${object.kind} of ${object.apiVersion}`,
    fix: "Install the CustomResourceDefinition first, declare it in appSetup, or correct apiVersion and kind",
    where: declaredAt(manifest),
  };
}

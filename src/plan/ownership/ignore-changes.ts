import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { type IgnoredPath, parseIgnoredPaths } from "../../model/fields/field-path.ts";
import { at, isList, isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import type { PlanPolicy } from "../../model/plan/plan.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import { closest } from "../../model/text/suggest.ts";
import {
  existingState,
  keepLiveValue,
  noObservations,
  type PathObservations,
  preserveLiveFields,
  recreatedState,
  withOwnMetadata,
} from "../../ssa/preserve-live-fields.ts";
import type { DeploymentIdentity } from "../../ssa/protection.ts";
import type { DeclaredObject, NumberedObject, PreparedObject } from "../declared/objects.ts";
import {
  autoscalerFinder,
  type ControllerOwnedField,
  findControllerOwnedFields,
} from "./controller-owned-fields.ts";
import { findOneWayFields, type OneWayField } from "./one-way-fields.ts";

export interface IgnoreResult {
  readonly objects: readonly PreparedObject[];
  /** The notices for paths that match nothing, or that keep more than they name. */
  readonly notices: readonly Problem[];
}

/**
 * Returns the objects as qvs sends them, with the live values at the paths of `ignore-changes`
 * annotations.
 * See docs/reference/ownership.md#ignored-fields. An object that doesn't exist yet is sent in full.
 */
export function ignoreChanges(
  owner: DeploymentIdentity & {
    readonly policy?: Pick<PlanPolicy, "conflicts">;
    readonly isRollback?: boolean | undefined;
    readonly release?: number | undefined;
  },
  objects: readonly NumberedObject[],
  live: LiveObjects,
): Result<IgnoreResult> {
  const declared = objects.map(({ object }) => object);
  const { deployment, policy } = owner;
  const taker: FieldTaker = { deployment, takeover: policy?.conflicts.takeover ?? [] };
  const findAutoscaler = autoscalerFinder(owner, declared, [...live.values()]);
  const results = objects.map((desired) => {
    const existing = live.get(desired.key);
    const place = existing && existingState(existing, deployment, desired.stage, taker.takeover);
    const controllerOwnedFields =
      existing === undefined || place === undefined
        ? []
        : findControllerOwnedFields(existing, findAutoscaler(desired.key), place.others);
    // qvs shows nothing of an object that this deployment hasn't applied.
    const oneWayFields =
      existing === undefined || place?.ours === undefined || owner.isRollback !== true
        ? []
        : findOneWayFields(desired.object, existing);
    const keptFields = [
      ...controllerOwnedFields.map((field) => ({
        ...field,
        notice: controllerFieldNotice(desired, field),
      })),
      ...oneWayFields.map((field) => ({
        ...field,
        notice: oneWayNotice(desired, field, { live: existing, release: owner.release }),
      })),
    ];
    return ignoreObjectFields(desired, existing, keptFields, taker);
  });
  const problems = results.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const values = results.flatMap((result) => (result.ok ? [result.value] : []));
  return ok({
    objects: values.map(({ object }) => object),
    notices: values.flatMap(({ notices }) => notices),
  });
}

/** The deployment that owns the fields, and the managers that it takes fields from. */
interface FieldTaker {
  readonly deployment: string;
  readonly takeover: readonly string[];
}

interface IgnoredObject {
  readonly object: PreparedObject;
  readonly notices: readonly Problem[];
}

function ignoreObjectFields(
  desired: NumberedObject,
  live: KubeObject | undefined,
  keptFields: readonly KeptField[],
  taker: FieldTaker,
): Result<IgnoredObject> {
  const written = annotation(desired.object, ignoreChangesAnnotation) ?? "";
  const paths = parseIgnoredPaths(written).map((path) => toSentPath(path, desired.object));
  const wrong = paths.filter((path) => path.steps === undefined || isIdentity(path));
  if (wrong.length > 0) return failed(wrong.map((path) => malformedPathProblem(desired, path)));
  if (live === undefined || paths.length + keptFields.length === 0) {
    return ok({ object: { ...desired, ignoring: undefined }, notices: [] });
  }
  return ok(keepFields(desired, live, { paths, handOvers: keptFields }, taker));
}

/** A field that keeps its live value although no annotation names it, with its notice. */
interface KeptField {
  readonly path: IgnoredPath;
  readonly notice: Problem;
}

interface FieldsToKeep {
  readonly paths: readonly IgnoredPath[];
  readonly handOvers: readonly KeptField[];
}

function keepFields(
  desired: NumberedObject,
  live: KubeObject,
  { paths, handOvers }: FieldsToKeep,
  { deployment, takeover }: FieldTaker,
): IgnoredObject {
  const existing = existingState(live, deployment, desired.stage, takeover);
  let object = desired.object;
  let sendsLive = false;
  const kept = [...paths, ...handOvers.map(({ path }) => path)].map(({ steps = [] }) => steps);
  const keep = (path: IgnoredPath): PathObservations => {
    const found = noObservations();
    object = keepLiveValue({ ...existing, desired: object }, path.steps ?? [], found) as KubeObject;
    sendsLive ||= found.sendsLive;
    return found;
  };
  const ofPaths = paths.flatMap((path) => pathNotices(desired, path, keep(path)));
  const ofHandOvers = handOvers.flatMap(({ path, notice }) => {
    const before = object;
    keep(path);
    return sameJson(before, object) ? [] : [notice];
  });
  const resourceVersion = sendsLive ? textAt(live, "metadata", "resourceVersion") : undefined;
  const recreated = preserveLiveFields(desired.object, recreatedState(live), kept);
  return {
    object: {
      ...desired,
      object: withOwnMetadata(object, desired.object),
      ignoring: { declared: desired.object, resourceVersion, paths: kept, recreated },
    },
    notices: [...ofPaths, ...ofHandOvers],
  };
}

/** Returns the path in the sent object: qvs sends the strings of a Secret in its `data`. */
function toSentPath(path: IgnoredPath, object: KubeObject): IgnoredPath {
  const [first, ...rest] = path.steps ?? [];
  const isStringData = first?.type === "field" && first.name === "stringData";
  return isStringData && isCoreObject(object, "Secret")
    ? { ...path, steps: [{ type: "field", name: "data" }, ...rest] }
    : path;
}

/** Reports whether a path leads to the identity of the object, which can't be ignored. */
function isIdentity({ steps = [] }: IgnoredPath): boolean {
  const [first, second] = steps.map((step) => (step.type === "field" ? step.name : ""));
  if (first === "apiVersion" || first === "kind") return true;
  return (
    first === "metadata" && (second === undefined || second === "name" || second === "namespace")
  );
}

function malformedPathProblem(desired: DeclaredObject, { text }: IgnoredPath): Problem {
  const { id } = desired;
  return {
    code: "invalid-annotation",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: "${text}" in the annotation ${ignoreChangesAnnotation} isn't a path that can be ignored`,
    fix: 'Write paths like spec.replicas, spec.template.spec.containers[0].image or metadata.labels["a.b/c"], separated by commas',
    where: declarationPlaces(desired),
  };
}

function pathNotices(
  desired: DeclaredObject,
  { text }: IgnoredPath,
  found: PathObservations,
): readonly Problem[] {
  const { id, object } = desired;
  if (!found.matched) {
    const meant = closest(text, allPaths(object, ""));
    return [
      {
        code: "ignore-path-unmatched",
        subjects: [nameOf(id)],
        what: `${nameOf(id)}: ${text} in the annotation ${ignoreChangesAnnotation} matches nothing`,
        ...(meant === undefined
          ? { fix: "Correct or remove the path" }
          : { fix: `Did you mean "${meant}"?`, otherwise: ["remove the path"] }),
        where: declarationPlaces(desired),
      },
    ];
  }
  if (!found.atomic) return [];
  return [
    {
      code: "inexact-ignored-path",
      subjects: [nameOf(id)],
      what: `${nameOf(id)}: more than ${text} keeps its live value`,
      why: "The API server only replaces the whole list or object that contains the path",
      fix: `Name the whole list or object in the annotation ${ignoreChangesAnnotation}`,
      where: declarationPlaces(desired),
    },
  ];
}

function controllerFieldNotice(
  { id }: DeclaredObject,
  { path, to }: ControllerOwnedField,
): Problem {
  return {
    code: "controller-owned-field",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: ${path.text} keeps its live value`,
    why: `qvs leaves the field to ${to}`,
    fix: `Name it in the annotation ${ignoreChangesAnnotation}, so that readers of the manifest know`,
    where: [],
  };
}

/**
 * Returns the notice for a field that a rollback can't restore.
 * It never shows a Secret's value: the only one-way field of a Secret is `immutable`, a boolean.
 */
function oneWayNotice(
  { id, object }: DeclaredObject,
  { path }: OneWayField,
  {
    live,
    release,
  }: { readonly live: KubeObject | undefined; readonly release: number | undefined },
): Problem {
  const names = path.text.split(".");
  const [before, after] = [at(object, ...names), at(live, ...names)].map(shortText);
  const values =
    before === undefined || after === undefined
      ? []
      : [
          { label: "cluster", value: after },
          { label: "release", value: before },
        ];
  const of = release === undefined ? "the release" : `release ${release}`;
  return {
    code: "one-way-field",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: ${path.text} keeps its live value`,
    why: `The API server doesn't allow anyone to set it back to the value of ${of}. The next deployment must declare the live value`,
    facts: values,
    fix: "Nothing to do now if the rest of the release works with the live value",
    where: [],
  };
}

function shortText(value: Json | undefined): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function allPaths(value: Json | undefined, path: string): readonly string[] {
  const below = isList(value)
    ? value.flatMap((item, index) => allPaths(item, `${path}[${index}]`))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, inner]) => allPaths(inner, joinPath(path, name)))
      : [];
  return path === "" ? below : [path, ...below];
}

function joinPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}["${name}"]`;
  return path === "" ? name : `${path}.${name}`;
}

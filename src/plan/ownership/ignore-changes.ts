import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { type IgnoredPath, parseIgnoredPaths } from "../../model/fields/ignored-paths.ts";
import { at, isList, isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { annotation, type KubeObject, nameOf } from "../../model/object.ts";
import type { PlanPolicy } from "../../model/plan.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { LiveObjects } from "../../model/release.ts";
import { closest } from "../../model/text/closest.ts";
import {
  existingPlace,
  type Findings,
  keepLive,
  nothingFound,
  placeToMakeAnew,
  preserveLiveFields,
  withOwnMetadata,
} from "../../ssa/preserve-live-fields.ts";
import type { Owner } from "../../ssa/protection.ts";
import type { DeclaredObject, NumberedObject, PreparedObject } from "../declared/objects.ts";
import {
  autoscalersOf,
  type ControllerOwnedFields,
  controllerOwnedFieldsOf,
} from "./controller-owned-fields.ts";
import { type OneWayField, oneWayFieldsOf } from "./one-way-fields.ts";

export interface WithIgnored {
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
  owner: Owner & {
    readonly policy?: Pick<PlanPolicy, "conflicts">;
    readonly goesBack?: boolean | undefined;
    readonly release?: number | undefined;
  },
  objects: readonly NumberedObject[],
  live: LiveObjects,
): Result<WithIgnored> {
  const declared = objects.map(({ object }) => object);
  const { deployment, policy } = owner;
  const by: Taker = { deployment, takeover: policy?.conflicts.takeover ?? [] };
  const autoscalerOf = autoscalersOf(owner, declared, [...live.values()]);
  const results = objects.map((desired) => {
    const existing = live.get(desired.key);
    const place = existing && existingPlace(existing, deployment, desired.stage, by.takeover);
    const controllerOwnedFields =
      existing === undefined || place === undefined
        ? []
        : controllerOwnedFieldsOf(existing, autoscalerOf(desired.key), place.others);
    // qvs shows nothing of an object that this deployment hasn't applied.
    const oneWayFields =
      existing === undefined || place?.ours === undefined || owner.goesBack !== true
        ? []
        : oneWayFieldsOf(desired.object, existing);
    const handOvers = [
      ...controllerOwnedFields.map((field) => ({ ...field, notice: leftAlone(desired, field) })),
      ...oneWayFields.map((field) => ({
        ...field,
        notice: keptOneWay(desired, field, { live: existing, release: owner.release }),
      })),
    ];
    return ignoreIn(desired, existing, handOvers, by);
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
interface Taker {
  readonly deployment: string;
  readonly takeover: readonly string[];
}

interface Ignored {
  readonly object: PreparedObject;
  readonly notices: readonly Problem[];
}

function ignoreIn(
  desired: NumberedObject,
  live: KubeObject | undefined,
  handOvers: readonly HandOver[],
  by: Taker,
): Result<Ignored> {
  const written = annotation(desired.object, ignoreChangesAnnotation) ?? "";
  const paths = parseIgnoredPaths(written).map((path) => asSent(path, desired.object));
  const wrong = paths.filter((path) => path.steps === undefined || isIdentity(path));
  if (wrong.length > 0) return failed(wrong.map((path) => malformed(desired, path)));
  if (live === undefined || paths.length + handOvers.length === 0) {
    return ok({ object: { ...desired, ignoring: undefined }, notices: [] });
  }
  return ok(keepAll(desired, live, { paths, handOvers }, by));
}

/** A field that keeps its live value although no annotation names it, with its notice. */
interface HandOver {
  readonly path: IgnoredPath;
  readonly notice: Problem;
}

interface ToKeep {
  readonly paths: readonly IgnoredPath[];
  readonly handOvers: readonly HandOver[];
}

function keepAll(
  desired: NumberedObject,
  live: KubeObject,
  { paths, handOvers }: ToKeep,
  { deployment, takeover }: Taker,
): Ignored {
  const existing = existingPlace(live, deployment, desired.stage, takeover);
  let object = desired.object;
  let sendsLive = false;
  const kept = [...paths, ...handOvers.map(({ path }) => path)].map(({ steps = [] }) => steps);
  const keep = (path: IgnoredPath): Findings => {
    const found = nothingFound();
    object = keepLive({ ...existing, desired: object }, path.steps ?? [], found) as KubeObject;
    sendsLive ||= found.sendsLive;
    return found;
  };
  const ofPaths = paths.flatMap((path) => noticesOf(desired, path, keep(path)));
  const ofHandOvers = handOvers.flatMap(({ path, notice }) => {
    const before = object;
    keep(path);
    return sameJson(before, object) ? [] : [notice];
  });
  const resourceVersion = sendsLive ? textAt(live, "metadata", "resourceVersion") : undefined;
  const recreated = preserveLiveFields(desired.object, placeToMakeAnew(live), kept);
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
function asSent(path: IgnoredPath, { kind }: KubeObject): IgnoredPath {
  const [first, ...rest] = path.steps ?? [];
  const isText = kind === "Secret" && first?.type === "field" && first.name === "stringData";
  return isText ? { ...path, steps: [{ type: "field", name: "data" }, ...rest] } : path;
}

/** Reports whether a path leads to the identity of the object, which can't be ignored. */
function isIdentity({ steps = [] }: IgnoredPath): boolean {
  const [first, second] = steps.map((step) => (step.type === "field" ? step.name : ""));
  if (first === "apiVersion" || first === "kind") return true;
  return (
    first === "metadata" && (second === undefined || second === "name" || second === "namespace")
  );
}

function malformed(desired: DeclaredObject, { text }: IgnoredPath): Problem {
  const { id } = desired;
  return {
    code: "invalid-annotation",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: "${text}" in the annotation ${ignoreChangesAnnotation} isn't a path that can be ignored`,
    fix: 'Write paths like spec.replicas, spec.template.spec.containers[0].image or metadata.labels["a.b/c"], separated by commas',
    where: declarationPlaces(desired),
  };
}

function noticesOf(
  desired: DeclaredObject,
  { text }: IgnoredPath,
  found: Findings,
): readonly Problem[] {
  const { id, object } = desired;
  if (!found.matched) {
    const meant = closest(text, pathsOf(object, ""));
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

function leftAlone({ id }: DeclaredObject, { path, to }: ControllerOwnedFields): Problem {
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
function keptOneWay(
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

function pathsOf(value: Json | undefined, path: string): readonly string[] {
  const below = isList(value)
    ? value.flatMap((item, index) => pathsOf(item, `${path}[${index}]`))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, join(path, name)))
      : [];
  return path === "" ? below : [path, ...below];
}

function join(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}["${name}"]`;
  return path === "" ? name : `${path}.${name}`;
}

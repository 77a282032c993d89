import { parsePath } from "../../model/fields/field-path.ts";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../model/json.ts";
import {
  scalarTexts,
  selectReferences,
  type ValuePath,
  valueAt,
  writtenText,
} from "../../model/plan/apply-time-reference.ts";
import {
  declarationPlaces,
  type Fixes,
  failed,
  ok,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import {
  pulumiFunction,
  referencePieces,
  resolveReference,
} from "../../model/text/reference-text.ts";
import { declaredValue, isPulumi, isSecretValue, isStringPlace } from "./declared-value.ts";
import { referenceToken } from "./tokens.ts";

/** A manifest with resolved references, except the strings that `references` describes. */
export type ResolvedManifest<M extends Manifest = Manifest> = M & {
  readonly references: readonly PendingText[];
};

/**
 * A string that can't be assembled yet or must not be shown.
 * `token` stands for it in the manifest.
 */
export interface PendingText {
  readonly token: string;
  readonly pieces: readonly (string | ResourceReference)[];
}

/** A reference to a field of another resource of the deployment. */
interface ResourceReference {
  readonly stage: Manifest["stage"];
  readonly resource: string;
  readonly path: ValuePath;
  /** The resource id with all its groups, then the path: `web.status.ip`. */
  readonly text: string;
  /** The value in the other manifest; undefined if only the cluster sets the value. */
  readonly declared: Json | undefined;
  /** True if the value belongs to a Secret. */
  readonly secret: boolean;
}

/**
 * Replaces every `$(ref.ID.PATH)` and `${id.path}` by the value that the other resource declares
 * there.
 * The rules are in docs/reference/adapters.md#references. The cluster will contain this value after
 * the deployment.
 *
 * Values that only the cluster sets, such as an address in `status`, are resolved later. Values of
 * Secrets are resolved later too, because no one must see them.
 *
 * A reference to anything but a Kubernetes resource of this deployment is an error: its own text
 * must never be sent. A Pulumi function is an error for the same reason.
 *
 * If manifests are only `shown`, functions and references to resources of other providers stay as
 * they are.
 */
export function resolveReferences<M extends Manifest>(
  manifests: readonly M[],
  shown?: ShowOnly,
): Result<readonly ResolvedManifest<M>[]> {
  const problems: Problem[] = [];
  const budget = { left: maxReferences };
  const resolved = manifests.map((manifest) => {
    if (manifest.isLiteral === true) return { ...manifest, references: [] };
    const find = createFinder(manifest, { manifests, shown, budget });
    const unknown = new Set<string>();
    const references: PendingText[] = [];
    const pulumi = isPulumi(manifest);
    const takesText = (path: ValuePath) => isStringPlace(manifest.object, path);
    const isShown = shown !== undefined;
    const replacing = { find, pulumi, unknown, references, takesText, isShown };
    const object = replaceReferences(manifest.object, replacing) as JsonObject;
    problems.push(
      ...[...unknown].toSorted().map((text) => unknownReferenceProblem(manifest, text)),
    );
    problems.push(...reservedFieldProblems(manifest, object, references));
    return { ...manifest, object, references };
  });
  return problems.length > 0 ? failed(problems) : ok(resolved);
}

/** The facts about resources that qvs only shows. Set if nothing is sent. */
export interface ShowOnly {
  /** The ids of the resources of other providers. */
  readonly foreign: readonly string[];
}

/** The target of a reference, if it has one. */
type ReferenceTarget = ResourceReference | "unknown" | "foreign";
type FindReference = (inner: string, depth?: number) => ReferenceTarget;

/** The maximum length of a chain of references. A longer chain is a cycle. */
const maxChainLength = 8;

/**
 * The maximum number of references.
 * Lists of references to lists of references could otherwise exceed any memory.
 */
const maxReferences = 10_000;

interface ReferenceScope {
  readonly manifests: readonly Manifest[];
  readonly shown: ShowOnly | undefined;
  readonly budget: { left: number };
}

function createFinder(manifest: Manifest, all: ReferenceScope): FindReference {
  const { manifests, shown, budget } = all;
  const find: FindReference = (inner, depth = 0) => {
    const reference = resolveReference(inner, manifest.id, manifest.dependsOn);
    if (reference !== undefined && shown?.foreign.includes(reference.id)) return "foreign";
    const same = manifests.filter((other) => other.id === reference?.id);
    const target = same.find((other) => other.stage === manifest.stage) ?? same[0];
    const path = parseSteps(reference?.path ?? "");
    if (reference === undefined || target === undefined || path === undefined) return "unknown";
    budget.left -= 1;
    if (depth > maxChainLength || budget.left < 0) return "unknown";
    const text = `${reference.id}${reference.path}`;
    const secret = isSecretValue(target, path);
    const found = { stage: target.stage, resource: target.id, path, text, secret };
    const live =
      isRecordable(text) && target !== manifest ? { ...found, declared: undefined } : "unknown";
    const value = declaredValue(target, path);
    if (value === undefined) return live;
    const inTarget = createFinder(target, all);
    const replacing = {
      find: (further: string) => inTarget(further, depth + 1),
      pulumi: isPulumi(target),
      unknown: new Set<string>(),
      references: [] as PendingText[],
      takesText: () => false,
      isShown: shown !== undefined,
    };
    const declared = target.isLiteral === true ? value : replaceReferences(value, replacing);
    if (replacing.unknown.size > 0) return "unknown";
    const later = replacing.references.flatMap(({ pieces }) => selectReferences(pieces));
    if (later.length === 0) return { ...found, declared };
    if (live === "unknown") return live;
    // The other object has the value when qvs needs it.
    return { ...live, secret: secret || later.some((each) => each.secret) };
  };
  return find;
}

function parseSteps(path: string): ValuePath | undefined {
  const steps = (parsePath(path) ?? []).map((step) => {
    if (step.type === "every") return undefined;
    return step.type === "field" ? step.name : step.index;
  });
  return steps.length === 0 || steps.includes(undefined) ? undefined : (steps as ValuePath);
}

/** Reports whether a release can record the reference as `$(ref.TEXT)` and read it again. */
function isRecordable(text: string): boolean {
  return !/[()]/.test(text);
}

interface ReplaceContext {
  readonly find: FindReference;
  readonly pulumi: boolean;
  /** Collects the references and functions that have no value. */
  readonly unknown: Set<string>;
  /** Collects the strings that are resolved later. */
  readonly references: PendingText[];
  /** Reports whether a place takes a number only as a string. */
  readonly takesText: (path: ValuePath) => boolean;
  /** True if Pulumi functions stay as they are. */
  readonly isShown: boolean;
}

function replaceReferences(value: Json, replacing: ReplaceContext, path: ValuePath = []): Json {
  if (typeof value === "string") return replaceTextReferences(value, replacing, path);
  if (isList(value))
    return value.map((item, at) => replaceReferences(item, replacing, [...path, at]));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  // Only Pulumi can compute `fn::invoke` and similar functions.
  const called = replacing.pulumi && !replacing.isShown ? pulumiFunction(value) : undefined;
  if (called !== undefined) replacing.unknown.add(called);
  return Object.fromEntries(
    fields.map(([name, inner]) => [name, replaceReferences(inner, replacing, [...path, name])]),
  );
}

/**
 * Replaces the references in a string.
 * A reference that is the whole string keeps the type of its value, except in a place for strings.
 * Within a longer string, only scalars are valid.
 */
function replaceTextReferences(
  text: string,
  { find, pulumi, unknown, references, takesText }: ReplaceContext,
  path: ValuePath,
): Json {
  const pieces = referencePieces(text, pulumi);
  const found = pieces.map((piece) => {
    if (piece.type === "text") return piece.text;
    const reference = find(piece.inner);
    if (reference === "foreign") return piece.written;
    if (reference !== "unknown" && (pieces.length === 1 || !isComposed(reference.declared)))
      return reference;
    unknown.add(piece.written);
    return piece.written;
  });
  // A value becomes a string next to another piece, even an empty one.
  if (found.length === 1 && !isComposedAlone(found) && takesText(path)) found.push("");
  if (selectReferences(found).some(({ declared, secret }) => declared === undefined || secret)) {
    const token = referenceToken(references.length);
    references.push({ token, pieces: found });
    return token;
  }
  const values = found.map((piece) => (typeof piece === "string" ? piece : piece.declared));
  return values.length === 1
    ? (values[0] as Json)
    : values.flatMap((value) => scalarTexts(value ?? null)).join("");
}

function isComposedAlone([only]: readonly (string | ResourceReference)[]): boolean {
  return typeof only === "object" && only.declared !== undefined && isComposed(only.declared);
}

function isComposed(value: Json | undefined): boolean {
  return isList(value) || isObject(value) || value === null;
}

/**
 * Rejects late values in fields that qvs must know before the deployment.
 * These fields are the object's identity and qvs's own annotations.
 */
function reservedFieldProblems(
  manifest: Manifest,
  object: JsonObject,
  references: readonly PendingText[],
): readonly Problem[] {
  const annotations = valueAt(object, ["metadata", "annotations"]);
  const steering = Object.keys(isObject(annotations) ? annotations : {})
    .filter((name) => name.startsWith("vs.axis-dev.io/"))
    .map((name) => ["metadata", "annotations", name]);
  const places = [
    ["apiVersion"],
    ["kind"],
    ["metadata", "name"],
    ["metadata", "namespace"],
    ...steering,
  ];
  return places.flatMap((place) => {
    const written = references.find(({ token }) => token === textAt(object, ...place));
    return written === undefined ? [] : [reservedFieldProblem(manifest, place, written)];
  });
}

function reservedFieldProblem(
  manifest: Manifest,
  place: readonly string[],
  { pieces }: PendingText,
): Problem {
  const { stage, id } = manifest;
  return {
    code: "unresolved-reference",
    what: `Resource ${stage}/${id}: ${place.join(".")} isn't known before the deployment`,
    why: "The value is a Secret's value or known after deploy, and qvs needs the field to deploy the object",
    facts: [{ label: "manifest", value: writtenText(pieces) }],
    ...writeValue,
    where: declarationPlaces(manifest),
  };
}

const writeValue: Fixes = {
  fix: "Write the value itself",
  otherwise: ["pass the value as a parameter"],
};

/** Returns the error for a manifest that calls a Pulumi function. */
export function functionProblem(manifest: Manifest, name: string): Problem {
  return {
    code: "unresolved-reference",
    what: `Resource ${manifest.stage}/${manifest.id} calls ${name}`,
    why: "Only Pulumi can compute this function",
    ...writeValue,
    where: declarationPlaces(manifest),
  };
}

function unknownReferenceProblem(manifest: Manifest, text: string): Problem {
  const { stage, id } = manifest;
  if (text.startsWith("fn::")) return functionProblem(manifest, text);
  return {
    code: "reference-not-found",
    what: `Resource ${stage}/${id} refers to ${text}, which isn't declared`,
    why: "No Kubernetes resource of this deployment declares it. Values of other providers aren't supported yet",
    fix: "Refer to a field of a Kubernetes resource",
    otherwise: ["pass the value as a parameter"],
    where: declarationPlaces(manifest),
  };
}

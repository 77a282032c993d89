import { parsePath } from "../../../model/fields/field-path.ts";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../model/json.ts";
import { scalarTexts, type ValuePath, valueAt } from "../../../model/plan/apply-time-reference.ts";
import { chartProvider, type Manifest, type Resource } from "../../../model/sources/compilation.ts";
import { referencePieces, resolveReference } from "../../../model/text/reference-text.ts";
import { canContainSecrets } from "../../../redaction/sensitive-object.ts";
import { isTyped, resourceOptions } from "./chart-properties.ts";

/** A resource of a chart whose references are replaced by values. */
export interface ResolvedContent {
  readonly content: JsonObject;
  /** The ids of the resources that it refers to or depends on, sorted. */
  readonly dependsOn: readonly string[];
  readonly problems: readonly ReferenceFailure[];
}

/** A reference without a value, as written. */
export interface ReferenceFailure {
  readonly written: string;
  readonly why: string;
  /** True for an entry of `options.dependsOn`, which needs no value. */
  readonly isDependency?: true;
}

/** The maximum size of the values that references add to one resource, in characters of JSON. */
const maxAdded = 3 * 1024 * 1024;

/** The maximum number of different references of one resource. Each searches all resources. */
const maxReferences = 200;

type Declared = { readonly value: Json; readonly size: number } | { readonly why: string };

interface ResolveContext {
  readonly id: string;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly dependsOn: Set<string>;
  /** The failures by the written reference. */
  readonly problems: Map<string, Omit<ReferenceFailure, "written">>;
  readonly budget: { left: number };
  /** The values of the references so far. A chart can repeat a reference many times. */
  readonly known: Map<string, Declared>;
}

/**
 * Replaces the references in the properties of a chart by the values that manifests declare
 * (docs/reference/adapters.md#charts). A chart is rendered before the deployment, so values that
 * only the cluster knows are problems. The same applies to values of Secrets, because qvs shows the
 * rendered objects.
 */
export function resolveContent(
  {
    id,
    stage,
    content,
  }: { readonly id: string; readonly stage: string; readonly content: JsonObject },
  resources: readonly Resource[],
): ResolvedContent {
  // The resource of the same stage has priority.
  const ordered = resources.toSorted(
    (a, b) => Number(a.stage === stage) - Number(b.stage === stage),
  );
  const context: ResolveContext = {
    id,
    resources: new Map(ordered.map((each) => [each.id, each])),
    dependsOn: new Set(),
    problems: new Map(),
    budget: { left: maxAdded },
    known: new Map(),
  };
  const { dependsOn: _dependsOn, ...options } = resourceOptions(content);
  const pulumi = isTyped(content);
  const { options: _options, ...properties } = content;
  const resolved = replaceIn(properties, pulumi, context) as JsonObject;
  addDependencies(resourceOptions(content)["dependsOn"] ?? [], context);
  context.dependsOn.delete(id);
  return {
    content: Object.keys(options).length === 0 ? resolved : { ...resolved, options },
    dependsOn: [...context.dependsOn].sort(),
    problems: [...context.problems].map(([written, failure]) => ({ written, ...failure })),
  };
}

function replaceIn(value: Json, pulumi: boolean, context: ResolveContext): Json {
  if (typeof value === "string") return replaceInText(value, pulumi, context);
  if (isList(value)) return value.map((item) => replaceIn(item, pulumi, context));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceIn(each, pulumi, context)]),
  );
}

/** Replaces the references in a string. A value that is the whole string keeps its type. */
function replaceInText(text: string, pulumi: boolean, context: ResolveContext): Json {
  const pieces = referencePieces(text, pulumi);
  const values = pieces.map((piece): Json => {
    if (piece.type === "text") return piece.text;
    const found = spendOn(piece.inner, context);
    if ("why" in found) context.problems.set(piece.written, { why: found.why });
    else if (pieces.length === 1 || !isComposed(found.value)) return found.value;
    else
      context.problems.set(piece.written, {
        why: "A part of a string must be a string, number or boolean",
      });
    return piece.written;
  });
  if (values.length === 1) return values[0] ?? "";
  return values.flatMap((value) => scalarTexts(value)).join("");
}

function isComposed(value: Json): boolean {
  return isList(value) || isObject(value) || value === null;
}

/** Returns the value of a reference, as long as all values together aren't too large. */
function spendOn(inner: string, context: ResolveContext): Declared {
  const { known, budget } = context;
  if (budget.left < 0) return tooLarge;
  const before = known.get(inner);
  if (before === undefined && known.size >= maxReferences) return tooMany;
  const found = before ?? declaredAt(inner, context);
  known.set(inner, found);
  if ("why" in found) return found;
  budget.left -= found.size;
  return budget.left < 0 ? tooLarge : found;
}

const tooLarge: Declared = { why: "The values of all references together are too large" };
const tooManyText = `The resource has more than ${maxReferences} references`;
const tooMany: Declared = { why: tooManyText };

/** Returns the value that a manifest declares, or the reason why there is none. */
function declaredAt(inner: string, context: ResolveContext): Declared {
  const reference = resolveReference(inner, context.id, context.resources.keys());
  const target = reference && context.resources.get(reference.id);
  if (reference === undefined || target === undefined)
    return { why: "The deployment has no such resource" };
  if (target.type === "foreign") return { why: "The resource isn't a Kubernetes object" };
  if (textAt(target.object, "kind") === undefined)
    return { why: "The resource belongs to a chart" };
  const path = fieldPath(reference.path);
  if (path === undefined) return { why: "A reference must name exactly one field" };
  if (isSecretField(target, path)) return { why: "A chart can't contain the value of a Secret" };
  const value = path[0] === "status" ? undefined : valueAt(target.object, path);
  if (value === undefined) return { why: "The manifest of the resource doesn't declare the field" };
  const plain = withoutEscapes(value, target.pulumi === true);
  if (plain === undefined) return { why: "The field contains a reference itself" };
  context.dependsOn.add(target.id);
  return { value: plain, size: JSON.stringify(plain).length };
}

function fieldPath(text: string): ValuePath | undefined {
  const steps = parsePath(text) ?? [];
  const path = steps.flatMap((step): ValuePath => {
    if (step.type === "every") return [];
    return step.type === "field" ? [step.name] : [step.index];
  });
  return path.length === 0 || path.length < steps.length ? undefined : path;
}

/** Reports whether a field can be a value of a Secret. Only its name and namespace never are. */
function isSecretField({ object }: Manifest, path: ValuePath): boolean {
  const isName = path[0] === "metadata" && (path[1] === "name" || path[1] === "namespace");
  return !isName && canContainSecrets(object);
}

/** Returns a declared value without escapes; undefined if it contains references. */
function withoutEscapes(value: Json, pulumi: boolean): Json | undefined {
  if (typeof value === "string") {
    const pieces = referencePieces(value, pulumi);
    const texts = pieces.map((piece) => (piece.type === "text" ? piece.text : undefined));
    return texts.includes(undefined) ? undefined : texts.join("");
  }
  if (isList(value)) {
    const items = value.map((item) => withoutEscapes(item, pulumi));
    return items.includes(undefined) ? undefined : (items as Json);
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(
    ([name, each]) => [name, withoutEscapes(each, pulumi)] as const,
  );
  return fields.some(([, each]) => each === undefined)
    ? undefined
    : (Object.fromEntries(fields) as JsonObject);
}

/** Adds the resources of `options.dependsOn`, which is a list or one reference. */
function addDependencies(written: Json, context: ResolveContext): void {
  const all = isList(written) ? written : [written];
  const report = (shown: string, why: string) =>
    context.problems.set(shown, { why, isDependency: true });
  if (all.length > maxReferences) report("options.dependsOn", tooManyText);
  for (const text of all.slice(0, maxReferences)) {
    const pieces = typeof text === "string" ? referencePieces(text, true) : [];
    const [piece] = pieces;
    const inner = pieces.length === 1 && piece?.type === "reference" ? piece.inner : undefined;
    const found = inner && resolveReference(inner, context.id, context.resources.keys());
    const target = found ? context.resources.get(found.id) : undefined;
    const shown = typeof text === "string" ? text : JSON.stringify(text);
    if (target === undefined) report(shown, "The deployment has no such resource");
    else if (!isDeployed(target))
      report(shown, "The resource isn't a Kubernetes object or a chart");
    else context.dependsOn.add(target.id);
  }
}

/** Reports whether qvs deploys a resource. */
function isDeployed(resource: Resource): boolean {
  return resource.type === "manifest" || resource.provider === chartProvider;
}

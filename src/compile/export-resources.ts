import { at, fieldOf, isList, isObject, type JsonObject, textAt } from "../model/json.ts";
import { missingFields, nameError } from "../model/object.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import {
  chartProvider,
  type ForeignResource,
  type Manifest,
  type Resource,
  type Stage,
  stages,
} from "../model/sources/compilation.ts";
import { closest } from "../model/text/suggest.ts";
import type { Cue, CueValue } from "../ports/cue.ts";
import type { AdapterLookup, RepeatedUse } from "./adapter-lookup.ts";
import { decodeTextBytes } from "./decode-text-bytes.ts";
import { duplicateObjects } from "./duplicate-objects.ts";
import { distinctPlaces } from "./positions.ts";
import { isQuotable, isSecretResource, type Quoting } from "./problems/quoting.ts";
import {
  conflictingUse,
  repeatedUseProblem,
  resourceProblems,
} from "./problems/resource-problems.ts";
import { isPulumiResource, pulumiNotices, pulumiProgramProblems } from "./pulumi/notices.ts";
import { kubernetesObject } from "./pulumi/program.ts";
import { findResourceReferences, withDependencies } from "./resource-references.ts";
import type { ResourceValues } from "./resource-values.ts";
import { checkManifests, type SchemaCheck } from "./schema/check-manifests.ts";
import { unknownAnnotations } from "./unknown-annotations.ts";

export interface ExportedResources {
  readonly resources: readonly Resource[];
  /** The resources with Pulumi's own types by id, for one `Pulumi.yaml`. */
  readonly pulumi: ReadonlyMap<string, JsonObject>;
  readonly notices: readonly Problem[];
}

export interface RawResource {
  readonly stage: Stage;
  readonly id: string;
  readonly content: JsonObject;
  readonly value: CueValue;
}

/** The rules for resources. */
export interface ExportRules {
  /** Undefined if manifests aren't compared with the schemas of their kinds. */
  readonly check: SchemaCheck | undefined;
  /** True if the objects of charts are missing, to which other resources can add fields. */
  readonly lacksCharts: boolean;
}

/**
 * Exports CUE values as manifests and as resources of other providers
 * (docs/reference/adapters.md#providers). Every value must be concrete.
 */
export function exportResources(
  values: ResourceValues,
  quoting: Quoting,
  owners: AdapterLookup,
  rules: ExportRules,
  cue: Cue,
): Result<ExportedResources> {
  const raw: RawResource[] = [];
  const problems: Problem[] = [];
  const reported = new Set<RepeatedUse>();
  for (const stage of stages) {
    for (const id of [...values[stage].keys()].sort()) {
      const value = values[stage].get(id) as CueValue;
      const exported = cue.export(value);
      if (!exported.ok) {
        const repeated = conflictingUse(exported.errors, { stage, id }, owners);
        if (repeated !== undefined) {
          if (!reported.has(repeated))
            problems.push(repeatedUseProblem(repeated, exported.errors, { stage }, quoting));
          reported.add(repeated);
          continue;
        }
        const position = cue.position(value);
        const resource = { stage, id, isSecret: isSecretResource(value, cue), position };
        problems.push(...resourceProblems(exported.errors, resource, quoting, owners));
      } else if (isObject(exported.value)) {
        const content = decodeTextBytes(exported.value, () => cue.bytes(value));
        raw.push({ stage, id, content, value });
      } else problems.push(notAnObjectProblem(stage, id, value, cue));
    }
  }
  if (problems.length > 0) return failed(problems);
  return classify(raw, quoting, rules, cue);
}

function classify(
  raw: readonly RawResource[],
  quoting: Quoting,
  { check, lacksCharts }: ExportRules,
  cue: Cue,
): Result<ExportedResources> {
  const isComplete =
    !lacksCharts || !raw.some(({ content }) => textAt(content, "provider") === chartProvider);
  const ids = new Set(raw.map((resource) => resource.id));
  const problems: Problem[] = [];
  const notices: Problem[] = [];
  const resources: Resource[] = [];
  for (const resource of raw) {
    const provider = textAt(resource.content, "provider") ?? "";
    problems.push(...misspelledProvider(resource, provider, cue));
    const object = manifestObject(provider, resource.content);
    if (object === undefined) {
      resources.push(foreignResource(resource, provider, cue));
      continue;
    }
    if (isListOfObjects(object)) {
      problems.push(objectListProblem(resource, cue));
      continue;
    }
    if (isComplete) problems.push(...incompleteManifestProblems(resource, object, cue));
    problems.push(...nameProblems(resource, object, quoting, cue));
    const named = { resource: `${resource.stage}/${resource.id}`, object };
    const annotations = unknownAnnotations(named, resource.value, cue);
    problems.push(...annotations.problems);
    notices.push(...annotations.notices);
    resources.push(manifest(resource, object, provider === "pulumi-yaml", ids, cue));
  }
  const places = new Map(
    raw.map(({ stage, id, value }) => [`${stage}/${id}`, cue.position(value)] as const),
  );
  problems.push(
    ...duplicateObjects(raw, resources, quoting, cue),
    ...pulumiProgramProblems(resources, places),
  );
  // Fields of a chart's object can be missing, so that only a notice is right.
  const violations =
    check === undefined
      ? noViolations
      : isComplete
        ? checkManifests(raw, resources, check, quoting, cue)
        : checkManifests(raw, completeOnly(resources), { ...check, strict: false }, quoting, cue);
  problems.push(...violations.problems);
  if (problems.length > 0) return failed(problems);
  notices.push(...violations.notices);
  const pulumi = new Map(
    resources.filter(isPulumiResource).map(({ id, content }) => [id, content as JsonObject]),
  );
  return ok({ resources, pulumi, notices: [...notices, ...pulumiNotices(raw, resources, places)] });
}

function completeOnly(resources: readonly Resource[]): readonly Resource[] {
  return resources.filter(
    (each) => each.type !== "manifest" || missingFields(each.object).length === 0,
  );
}

const noViolations = { problems: [], notices: [] };

/**
 * Returns the Kubernetes object of a resource, or undefined if another provider owns it.
 * Real adapters omit the provider of plain manifests, such as the ConfigMap and Secret templates of
 * the official adapters. No provider therefore means Kubernetes.
 */
function manifestObject(provider: string, content: JsonObject): JsonObject | undefined {
  if (provider === "pulumi-yaml") return kubernetesObject(content);
  if (provider !== "kubernetes" && provider !== "") return undefined;
  const { provider: _provider, output: _output, ...object } = content;
  return object;
}

function manifest(
  { stage, id, content, value }: RawResource,
  object: JsonObject,
  pulumi: boolean,
  known: ReadonlySet<string>,
  cue: Cue,
): Manifest {
  const referring = pulumi ? withDependencies(object, content) : object;
  const { ids, missing } = findResourceReferences(referring, { id, pulumi }, known);
  const dependsOn = [...ids, ...missing].filter((other) => other !== id).sort();
  const where = cue.position(value);
  return { type: "manifest", stage, id, object, where, dependsOn, ...(pulumi ? { pulumi } : {}) };
}

/**
 * Reports a misspelled known provider, because qvs wouldn't deploy the resource. A custom provider
 * is allowed.
 */
function misspelledProvider(
  { stage, id, value }: RawResource,
  provider: string,
  cue: Cue,
): Problem[] {
  const meant = closest(provider, providers);
  if (provider === "" || meant === undefined || meant === provider) return [];
  const what = `Resource ${stage}/${id} has the unknown provider "${provider}"`;
  return [
    {
      code: "unsupported-provider",
      where: distinctPlaces(cue.position(value)),
      what,
      fix: `Did you mean "${meant}"?`,
    },
  ];
}

const providers = ["kubernetes", "pulumi-yaml", chartProvider];

function foreignResource(
  { stage, id, content, value }: RawResource,
  provider: string,
  cue: Cue,
): ForeignResource {
  const where = cue.position(value);
  return { type: "foreign", stage, id, provider, content, where };
}

/**
 * Reports whether an object is a list in the format of `kubectl get`: `List`, or a kind such as
 * `ConfigMapList`. A custom kind can have `items` that aren't objects.
 */
function isListOfObjects(object: JsonObject): boolean {
  const items = fieldOf(object, "items");
  if (!isList(items) || !/List$/.test(textAt(object, "kind") ?? "")) return false;
  const isPlain = textAt(object, "apiVersion") === "v1" && textAt(object, "kind") === "List";
  return isPlain || (items.length > 0 && items.every((item) => isObject(at(item, "metadata"))));
}

/**
 * Rejects a list of objects. Each object needs its own id for references, additions by other
 * adapters, traces and releases.
 */
function objectListProblem({ stage, id, value }: RawResource, cue: Cue): Problem {
  return {
    code: "invalid-object",
    where: distinctPlaces(cue.position(value)),
    what: `Resource ${stage}/${id} is a list of Kubernetes objects, not one object`,
    fix: "Make each item a separate resource with its own id",
  };
}

function incompleteManifestProblems(
  { stage, id, value }: RawResource,
  object: JsonObject,
  cue: Cue,
): Problem[] {
  const names = missingFields(object);
  if (names.length === 0) return [];
  const misspelled = Object.keys(object).find(
    (key) => !commonFields.has(key) && resemblesName(key, names),
  );
  const meant = misspelled === undefined ? undefined : closest(misspelled, names);
  return [
    {
      code: "invalid-object",
      where: distinctPlaces(cue.position(value)),
      what: `Resource ${stage}/${id} has no ${joinWithAnd(names)}`,
      fix:
        meant === undefined
          ? `Set ${joinWithAnd(names)} in the adapter`
          : `Did you mean "${meant}" instead of "${misspelled}"?`,
    },
  ];
}

function nameProblems(
  { stage, id, value }: RawResource,
  object: JsonObject,
  quoting: Quoting,
  cue: Cue,
): Problem[] {
  const [apiVersion, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
  const name = textAt(object, "metadata", "name");
  if (!apiVersion || !kind || !name) return [];
  const wrong = nameError({ apiVersion, kind, metadata: { name } });
  if (wrong === undefined) return [];
  const fact = isQuotable(wrong, quoting) ? wrong : wrong.replace(`"${name}"`, "(hidden)");
  const place = cue.lookup(value, ["metadata", "name"]);
  return [
    {
      code: "invalid-name",
      where: distinctPlaces(
        place === undefined ? undefined : cue.position(place),
        cue.position(value),
      ),
      what: `Resource ${stage}/${id} ${fact}`,
      fix: "Change the parameter that the name is made from",
      otherwise: ["change the adapter"],
    },
  ];
}

/** Common fields of objects. qvs never treats one of them as a misspelling of another field. */
const commonFields: ReadonlySet<string> = new Set([
  ...["apiVersion", "kind", "metadata", "spec", "data", "status", "type"],
]);

function resemblesName(key: string, names: readonly string[]): boolean {
  return closest(key, names) !== undefined;
}

function joinWithAnd(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function notAnObjectProblem(stage: Stage, id: string, value: CueValue, cue: Cue): Problem {
  return {
    code: "invalid-object",
    where: distinctPlaces(cue.position(value)),
    what: `Resource ${stage}/${id} isn't an object`,
    fix: "Make it a struct with provider, apiVersion, kind and metadata",
  };
}

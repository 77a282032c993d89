import { isObject, type JsonObject, textAt } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import {
  type ForeignResource,
  type Manifest,
  type Resource,
  resourceKey,
} from "../../model/sources/compilation.ts";
import { listPulumiFunctions } from "../../model/text/reference-text.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { findResourceReferences } from "../resource-references.ts";

/** The position of each resource by `stage/id`. */
type ResourcePlaces = ReadonlyMap<string, Position | undefined>;

export function isPulumiResource(resource: Resource): resource is ForeignResource {
  return resource.type === "foreign" && resource.provider === "pulumi-yaml";
}

/**
 * Explains why Pulumi resources can't form one program. A program has no stages, so each id must be
 * unique, and each resource needs a type.
 */
export function pulumiProgramProblems(
  resources: readonly Resource[],
  places: ResourcePlaces,
): readonly Problem[] {
  const own = resources.filter(isPulumiResource);
  const untyped = own
    .filter(({ content }) => (textAt(content, "type") ?? "") === "")
    .map(
      (resource): Problem => ({
        code: "invalid-object",
        where: findPlaces([resource], places),
        what: `Resource ${resourceKey(resource)} has no type`,
        fix: 'Set type in the adapter, for example `type: "kubernetes:core/v1:Service"`',
      }),
    );
  const duplicates = [...Map.groupBy(own, ({ id }) => id)]
    .filter(([, same]) => same.length > 1)
    .map(
      ([id, same]): Problem => ({
        code: "invalid-object",
        where: findPlaces(same, places),
        what: `Pulumi.yaml can contain only one resource "${id}"`,
        facts: [{ label: "found", value: same.map(resourceKey).join(" and ") }],
        fix: "Give the resources different ids",
      }),
    );
  return [...untyped, ...duplicates];
}

interface ResourceContent {
  readonly stage: Resource["stage"];
  readonly id: string;
  readonly content: JsonObject;
}

/**
 * Returns notices about differences from Pulumi: unresolved references, functions, and options of
 * Kubernetes objects that qvs ignores.
 */
export function pulumiNotices(
  raw: readonly ResourceContent[],
  resources: readonly Resource[],
  places: ResourcePlaces,
): readonly Problem[] {
  const pulumiResources = raw.filter(
    ({ content }) => textAt(content, "provider") === "pulumi-yaml",
  );
  if (pulumiResources.length === 0) return [];
  const manifests = new Map(
    resources.flatMap((each) =>
      each.type === "manifest" ? [[resourceKey(each), each] as const] : [],
    ),
  );
  const known = new Set(resources.map(({ id }) => id));
  const inProgram = new Set(resources.filter(isPulumiResource).map(({ id }) => id));
  const missing = new Map<string, ResourceContent[]>();
  const applied = new Map<string, ResourceContent[]>();
  for (const one of pulumiResources) {
    const { ids, names } = unresolvedReferences(one, manifests.get(resourceKey(one)), known);
    for (const name of names) missing.set(name, [...(missing.get(name) ?? []), one]);
    for (const id of ids.filter((each) => !inProgram.has(each))) {
      applied.set(id, [...(applied.get(id) ?? []), one]);
    }
  }
  return [
    ...referenceNotices(missing, places, "names", {
      code: "reference-not-found",
      what: "Pulumi resources refer to names that no adapter declares",
      fix: "Use the adapters that declare them",
      otherwise: ["write $${…} for the literal string"],
    }),
    ...referenceNotices(applied, places, "objects", {
      code: "reference-not-found",
      what: "Pulumi.yaml refers to Kubernetes objects that Pulumi doesn't manage",
      why: "qvs applies these objects without Pulumi",
      fix: "Write the values themselves",
      otherwise: ["pass the values as parameters"],
    }),
    ...[...manifests.values()].flatMap((one) => functionNotices(one, places)),
    ...pulumiResources.flatMap((one) =>
      optionNotices(one, manifests.has(resourceKey(one)), places),
    ),
  ];
}

/**
 * Returns the names that no resource has. For a resource in Pulumi.yaml, the result also contains
 * the ids that it refers to.
 */
function unresolvedReferences(
  { id, content }: ResourceContent,
  manifest: Manifest | undefined,
  known: ReadonlySet<string>,
): { readonly ids: readonly string[]; readonly names: readonly string[] } {
  if (manifest !== undefined) {
    return { ids: [], names: manifest.dependsOn.filter((name) => !known.has(name)) };
  }
  const { ids, missing } = findResourceReferences(content, { id, pulumi: true }, known);
  // Pulumi has a variable with this name, which contains the project, stack and directory.
  return { ids, names: missing.filter((name) => name !== "pulumi") };
}

/**
 * Returns one notice for all names. An adapter that is used without its usual context would have
 * dozens.
 */
function referenceNotices(
  names: ReadonlyMap<string, readonly ResourceContent[]>,
  places: ResourcePlaces,
  label: string,
  problem: Omit<Problem, "where" | "facts">,
): readonly Problem[] {
  const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) return [];
  const value = sorted
    .map(([name, by]) => `"${name}" (in ${summarizeList(by.map(resourceKey), maxListed)})`)
    .join(", ");
  return [
    { ...problem, where: findPlaces(first[1].slice(0, 1), places), facts: [{ label, value }] },
  ];
}

/**
 * Returns a notice about Pulumi functions in a manifest. qvs shows such a manifest, and
 * `resolveReferences` blocks its deployment.
 */
function functionNotices(manifest: Manifest, places: ResourcePlaces): readonly Problem[] {
  const called = manifest.pulumi === true ? listPulumiFunctions(manifest.object) : [];
  if (called.length === 0) return [];
  return [
    {
      code: "pulumi-function",
      where: findPlaces([manifest], places),
      what: `Resource ${resourceKey(manifest)} calls ${called.join(", ")}`,
      why: "Only Pulumi can do this: qvs shows the resource, but can't deploy it",
      fix: "Write the value itself",
      otherwise: ["pass the value as a parameter"],
    },
  ];
}

/** Options that only describe how Pulumi reaches an object. They don't change the object. */
const harmlessOptions: readonly string[] = [
  "dependsOn",
  "provider",
  "providers",
  "version",
  "pluginDownloadURL",
  "parent",
];

function optionNotices(
  one: ResourceContent,
  isManifest: boolean,
  places: ResourcePlaces,
): readonly Problem[] {
  const options = isObject(one.content["options"]) ? Object.keys(one.content["options"]) : [];
  const lost = isManifest ? options.filter((name) => !harmlessOptions.includes(name)).sort() : [];
  if (lost.length === 0) return [];
  return [
    {
      code: "pulumi-options-ignored",
      where: findPlaces([one], places),
      what: `Resource ${resourceKey(one)} has options that have no effect`,
      facts: [{ label: "options", value: lost.join(", ") }],
      why: "qvs applies the resource without Pulumi",
      fix: "Use the annotations vs.axis-dev.io/keepOnDelete and vs.axis-dev.io/ignore-changes",
    },
  ];
}

const maxListed = 2;

function findPlaces(
  resources: readonly Pick<Resource, "stage" | "id">[],
  places: ResourcePlaces,
): Position[] {
  return resources.flatMap((each) => places.get(resourceKey(each)) ?? []);
}

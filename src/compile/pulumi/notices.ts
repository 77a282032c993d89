import type { ForeignResource, Manifest, Resource } from "../../model/compilation.ts";
import { isObject, type JsonObject, textAt } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { pulumiFunctionsIn } from "../../model/text/pulumi-function.ts";
import { referencesIn } from "../references.ts";

/** The position of each resource by `stage/id`. */
type Places = ReadonlyMap<string, Position | undefined>;

export function isOfPulumi(resource: Resource): resource is ForeignResource {
  return resource.type === "foreign" && resource.provider === "pulumi-yaml";
}

/**
 * Explains why Pulumi resources can't form one program. A program has no stages, so each id must be
 * unique, and each resource needs a type.
 */
export function unfitForPulumi(resources: readonly Resource[], places: Places): readonly Problem[] {
  const own = resources.filter(isOfPulumi);
  const untyped = own
    .filter(({ content }) => (textAt(content, "type") ?? "") === "")
    .map(
      (resource): Problem => ({
        code: "invalid-object",
        where: placesOf([resource], places),
        what: `Resource ${keyOf(resource)} has no type`,
        fix: 'Set type in the adapter, as in `type: "kubernetes:core/v1:Service"`',
      }),
    );
  const twice = [...Map.groupBy(own, ({ id }) => id)]
    .filter(([, same]) => same.length > 1)
    .map(
      ([id, same]): Problem => ({
        code: "invalid-object",
        where: placesOf(same, places),
        what: `Pulumi.yaml can hold only one resource "${id}", but there are ${same.map(keyOf).join(" and ")}`,
        fix: "Give them different ids",
      }),
    );
  return [...untyped, ...twice];
}

interface Content {
  readonly stage: Resource["stage"];
  readonly id: string;
  readonly content: JsonObject;
}

/**
 * Returns notices about differences from Pulumi: unresolved references, functions, and options of
 * Kubernetes objects that qvs ignores.
 */
export function pulumiNotices(
  raw: readonly Content[],
  resources: readonly Resource[],
  places: Places,
): readonly Problem[] {
  const ofPulumi = raw.filter(({ content }) => textAt(content, "provider") === "pulumi-yaml");
  if (ofPulumi.length === 0) return [];
  const manifests = new Map(
    resources.flatMap((each) => (each.type === "manifest" ? [[keyOf(each), each] as const] : [])),
  );
  const known = new Set(resources.map(({ id }) => id));
  const inProgram = new Set(resources.filter(isOfPulumi).map(({ id }) => id));
  const missing = new Map<string, Content[]>();
  const applied = new Map<string, Content[]>();
  for (const one of ofPulumi) {
    const { ids, names } = referencesOf(one, manifests.get(keyOf(one)), known);
    for (const name of names) missing.set(name, [...(missing.get(name) ?? []), one]);
    for (const id of ids.filter((each) => !inProgram.has(each))) {
      applied.set(id, [...(applied.get(id) ?? []), one]);
    }
  }
  return [
    ...notice(missing, places, (names) => ({
      code: "reference-not-found",
      what: `Pulumi's resources refer to what no adapter here declares: ${names}`,
      fix: "Use the adapters that declare it as well, or write $${…} where that text itself is meant",
    })),
    ...notice(applied, places, (names) => ({
      code: "reference-not-found",
      what: `Pulumi.yaml refers to Kubernetes objects, which are applied without Pulumi: ${names}`,
      fix: "Write the values themselves there, or give them by parameters",
    })),
    ...[...manifests.values()].flatMap((one) => functionNotices(one, places)),
    ...ofPulumi.flatMap((one) => optionNotices(one, manifests.has(keyOf(one)), places)),
  ];
}

/**
 * Returns the names that no resource has. For a resource in Pulumi.yaml, the result also contains
 * the ids that it refers to.
 */
function referencesOf(
  { id, content }: Content,
  manifest: Manifest | undefined,
  known: ReadonlySet<string>,
): { readonly ids: readonly string[]; readonly names: readonly string[] } {
  if (manifest !== undefined) {
    return { ids: [], names: manifest.dependsOn.filter((name) => !known.has(name)) };
  }
  const { ids, missing } = referencesIn(content, { id, pulumi: true }, known);
  // Pulumi has a variable with this name, which contains the project, stack and directory.
  return { ids, names: missing.filter((name) => name !== "pulumi") };
}

/**
 * Returns one notice for all names. An adapter that is used without its usual context would have
 * dozens.
 */
function notice(
  names: ReadonlyMap<string, readonly Content[]>,
  places: Places,
  say: (names: string) => Pick<Problem, "code" | "what" | "fix">,
): readonly Problem[] {
  const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) return [];
  const text = sorted
    .map(([name, by]) => `"${name}" (in ${listed(by.map(keyOf), mostListed)})`)
    .join(", ");
  return [{ where: placesOf(first[1].slice(0, 1), places), ...say(text) }];
}

/**
 * Returns a notice about Pulumi functions in a manifest. qvs shows such a manifest, and
 * `resolveReferences` blocks its deployment.
 */
function functionNotices(manifest: Manifest, places: Places): readonly Problem[] {
  const called = manifest.pulumi === true ? pulumiFunctionsIn(manifest.object) : [];
  if (called.length === 0) return [];
  return [
    {
      code: "pulumi-function",
      where: placesOf([manifest], places),
      what: `Resource ${keyOf(manifest)} calls ${called.join(", ")}, which only Pulumi can do: it is shown and can't be deployed`,
      fix: "Write the value itself, or give it by a parameter",
    },
  ];
}

/** Options that only describe how Pulumi reaches an object. They don't change the object. */
const harmless: readonly string[] = [
  "dependsOn",
  "provider",
  "providers",
  "version",
  "pluginDownloadURL",
  "parent",
];

function optionNotices(one: Content, isManifest: boolean, places: Places): readonly Problem[] {
  const options = isObject(one.content["options"]) ? Object.keys(one.content["options"]) : [];
  const lost = isManifest ? options.filter((name) => !harmless.includes(name)).sort() : [];
  if (lost.length === 0) return [];
  return [
    {
      code: "pulumi-options-ignored",
      where: placesOf([one], places),
      what: `Resource ${keyOf(one)} is applied without Pulumi, so its options have no effect: ${lost.join(", ")}`,
      fix: "Use the annotations vs.axis-dev.io/keepOnDelete and vs.axis-dev.io/ignore-changes",
    },
  ];
}

const mostListed = 2;

function keyOf({ stage, id }: Pick<Resource, "stage" | "id">): string {
  return `${stage}/${id}`;
}

function placesOf(
  resources: readonly Pick<Resource, "stage" | "id">[],
  places: Places,
): Position[] {
  return resources.flatMap((each) => places.get(keyOf(each)) ?? []);
}

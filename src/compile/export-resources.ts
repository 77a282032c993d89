import { closest } from "../model/closest.ts";
import type { ForeignResource, Manifest, Resource, Stage } from "../model/compilation.ts";
import { stages } from "../model/compilation.ts";
import { isObject, type JsonObject, textAt } from "../model/json.ts";
import { wrongName } from "../model/name-rules.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueValue } from "../ports.ts";
import type { Owners } from "./owners.ts";
import { places } from "./places.ts";
import { kubernetesObject } from "./pulumi-kubernetes.ts";
import { isOfPulumi, pulumiNotices, unfitForPulumi } from "./pulumi-notices.ts";
import { isQuotable, isSecretResource, type Quoting } from "./quoting.ts";
import { referencesIn, withDependencies } from "./references.ts";
import { resourceProblems } from "./resource-problems.ts";
import type { ResourceValues } from "./resource-values.ts";
import { sameObjects } from "./same-objects.ts";
import { withTextBytes } from "./text-bytes.ts";

export interface Exported {
  readonly resources: readonly Resource[];
  /** Resources of Pulumi's own types, by id, for one `Pulumi.yaml`. */
  readonly pulumi: ReadonlyMap<string, JsonObject>;
  readonly notices: readonly Problem[];
}

export interface RawResource {
  readonly stage: Stage;
  readonly id: string;
  readonly content: JsonObject;
  readonly value: CueValue;
}

/** CUE values → manifests and what other providers own (spec §2). Everything must be concrete now. */
export function exportResources(
  values: ResourceValues,
  quoting: Quoting,
  owners: Owners,
  cue: Cue,
): Result<Exported> {
  const raw: RawResource[] = [];
  const problems: Problem[] = [];
  for (const stage of stages) {
    for (const id of [...values[stage].keys()].sort()) {
      const value = values[stage].get(id) as CueValue;
      const exported = cue.export(value);
      if (!exported.ok) {
        const position = cue.position(value);
        const resource = { stage, id, isSecret: isSecretResource(value, cue), position };
        problems.push(...resourceProblems(exported.errors, resource, quoting, owners));
      } else if (isObject(exported.value)) {
        const content = withTextBytes(exported.value, () => cue.bytes(value));
        raw.push({ stage, id, content, value });
      } else problems.push(notAnObject(stage, id, value, cue));
    }
  }
  if (problems.length > 0) return failed(problems);
  return classify(raw, quoting, cue);
}

function classify(raw: readonly RawResource[], quoting: Quoting, cue: Cue): Result<Exported> {
  const ids = new Set(raw.map((resource) => resource.id));
  const problems: Problem[] = [];
  const resources: Resource[] = [];
  for (const resource of raw) {
    const provider = textAt(resource.content, "provider") ?? "";
    problems.push(...misspeltProvider(resource, provider, cue));
    const object = manifestObject(provider, resource.content);
    if (object === undefined) {
      resources.push(foreign(resource, provider));
      continue;
    }
    problems.push(...incompleteManifest(resource, object, cue));
    problems.push(...misnamed(resource, object, quoting, cue));
    resources.push(manifest(resource, object, provider === "pulumi-yaml", ids, cue));
  }
  const places = new Map(
    raw.map(({ stage, id, value }) => [`${stage}/${id}`, cue.position(value)] as const),
  );
  problems.push(...sameObjects(raw, resources, quoting, cue), ...unfitForPulumi(resources, places));
  if (problems.length > 0) return failed(problems);
  const pulumi = new Map(
    resources.filter(isOfPulumi).map(({ id, content }) => [id, content as JsonObject]),
  );
  return ok({ resources, pulumi, notices: pulumiNotices(raw, resources, places) });
}

/**
 * The Kubernetes object that a resource stands for, or undefined when another provider owns it. Real adapters leave
 * the provider of plain manifests out (the ConfigMap and Secret templates of the official ones), so no provider
 * means Kubernetes.
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
  const { ids, missing } = referencesIn(referring, { id, pulumi }, known);
  const dependsOn = [...ids, ...missing].filter((other) => other !== id).sort();
  const where = cue.position(value);
  return { type: "manifest", stage, id, object, where, dependsOn, ...(pulumi ? { pulumi } : {}) };
}

/** A provider of one's own is fine; one that is nearly ours would keep the resource from being deployed. */
function misspeltProvider(
  { stage, id, value }: RawResource,
  provider: string,
  cue: Cue,
): Problem[] {
  const meant = closest(provider, providers);
  if (provider === "" || meant === undefined || meant === provider) return [];
  const what = `Resource ${stage}/${id} has the provider "${provider}", which nobody deploys`;
  return [{ where: places(cue.position(value)), what, fix: `Did you mean "${meant}"?` }];
}

const providers = ["kubernetes", "pulumi-yaml", "kubernetes-helm"];

function foreign({ stage, id, content }: RawResource, provider: string): ForeignResource {
  return { type: "foreign", stage, id, provider, content };
}

function incompleteManifest(
  { stage, id, value }: RawResource,
  object: JsonObject,
  cue: Cue,
): Problem[] {
  const required: readonly (readonly string[])[] = [["apiVersion"], ["kind"], ["metadata", "name"]];
  const missing = required.filter((path) => (textAt(object, ...path) ?? "") === "");
  if (missing.length === 0) return [];
  const names = missing.map((path) => path.join("."));
  const misspelt = Object.keys(object).find((key) => !wellKnown.has(key) && isLike(key, names));
  const meant = misspelt === undefined ? undefined : closest(misspelt, names);
  return [
    {
      where: places(cue.position(value)),
      what: `Resource ${stage}/${id} has no ${inSentence(names)}`,
      fix:
        meant === undefined
          ? `Set ${inSentence(names)} in the adapter`
          : `Did you mean "${meant}" instead of "${misspelt}"?`,
    },
  ];
}

function misnamed(
  { stage, id, value }: RawResource,
  object: JsonObject,
  quoting: Quoting,
  cue: Cue,
): Problem[] {
  const [apiVersion, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
  const name = textAt(object, "metadata", "name");
  if (!apiVersion || !kind || !name) return [];
  const wrong = wrongName({ apiVersion, kind, metadata: { name } });
  if (wrong === undefined) return [];
  const said = isQuotable(wrong, quoting) ? wrong : wrong.replace(`"${name}"`, "(hidden)");
  const place = cue.lookup(value, ["metadata", "name"]);
  return [
    {
      where: places(place === undefined ? undefined : cue.position(place), cue.position(value)),
      what: `Resource ${stage}/${id} ${said}`,
      fix: "Change the param that the name is made from, or the adapter",
    },
  ];
}

/** Fields that many objects have: not one of them is another one misspelt. */
const wellKnown: ReadonlySet<string> = new Set([
  ...["apiVersion", "kind", "metadata", "spec", "data", "status", "type"],
]);

function isLike(key: string, names: readonly string[]): boolean {
  return closest(key, names) !== undefined;
}

function inSentence(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function notAnObject(stage: Stage, id: string, value: CueValue, cue: Cue): Problem {
  return {
    where: places(cue.position(value)),
    what: `Resource ${stage}/${id} is not an object`,
    fix: "Make it a struct with provider, apiVersion, kind and metadata",
  };
}

import type { ForeignResource, Manifest, Resource, Stage } from "../model/compilation.ts";
import { stages } from "../model/compilation.ts";
import { isObject, type JsonObject, textAt } from "../model/json.ts";
import { failed, ok, type Position, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueValue } from "../ports.ts";
import { kubernetesObject } from "./pulumi-kubernetes.ts";
import { isSecretResource, type Quoting } from "./quoting.ts";
import { referencedIds } from "./references.ts";
import { resourceProblems } from "./resource-problems.ts";
import type { ResourceValues } from "./resource-values.ts";
import { withTextBytes } from "./text-bytes.ts";

export interface Exported {
  readonly resources: readonly Resource[];
  /** Resources of Pulumi's own types, by id, for one `Pulumi.yaml`. */
  readonly pulumi: ReadonlyMap<string, JsonObject>;
}

interface RawResource {
  readonly stage: Stage;
  readonly id: string;
  readonly content: JsonObject;
  readonly value: CueValue;
}

/** CUE values → manifests and what other providers own (spec §2). Everything must be concrete now. */
export function exportResources(
  values: ResourceValues,
  quoting: Quoting,
  cue: Cue,
): Result<Exported> {
  const raw: RawResource[] = [];
  const problems: Problem[] = [];
  for (const stage of stages) {
    for (const id of [...values[stage].keys()].sort()) {
      const value = values[stage].get(id) as CueValue;
      const exported = cue.export(value);
      if (!exported.ok) {
        const resource = { stage, id, isSecret: isSecretResource(value, cue) };
        const found = resourceProblems(exported.errors, resource, quoting);
        problems.push(...found.map((problem) => placed(problem, cue.position(value))));
      } else if (isObject(exported.value)) {
        const content = withTextBytes(exported.value, () => cue.bytes(value));
        raw.push({ stage, id, content, value });
      } else problems.push(notAnObject(stage, id, value, cue));
    }
  }
  if (problems.length > 0) return failed(problems);
  return classify(raw, cue);
}

/** CUE names no place for what goes round in a circle. */
function placed(problem: Problem, where: Position | undefined): Problem {
  return problem.where.length > 0 || where === undefined ? problem : { ...problem, where: [where] };
}

function classify(raw: readonly RawResource[], cue: Cue): Result<Exported> {
  const ids = new Set(raw.map((resource) => resource.id));
  const problems: Problem[] = [];
  const resources: Resource[] = [];
  const pulumi = new Map<string, JsonObject>();
  for (const resource of raw) {
    const provider = textAt(resource.content, "provider") ?? "";
    const object = manifestObject(provider, resource.content);
    if (object === undefined) {
      resources.push(foreign(resource, provider));
      if (provider === "pulumi-yaml") pulumi.set(resource.id, resource.content);
      continue;
    }
    problems.push(...incompleteManifest(resource, object, cue));
    resources.push(manifest(resource, object, provider, ids));
  }
  return problems.length > 0 ? failed(problems) : ok({ resources, pulumi });
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
  { stage, id, content }: RawResource,
  object: JsonObject,
  provider: string,
  ids: ReadonlySet<string>,
): Manifest {
  const dependsOn = referencedIds(object, content, provider === "pulumi-yaml", ids);
  return {
    type: "manifest",
    stage,
    id,
    object,
    dependsOn: dependsOn.filter((other) => other !== id),
  };
}

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
  const place = cue.position(value);
  return missing.map((path) => ({
    where: place === undefined ? [] : [place],
    what: `Resource ${stage}/${id} has no ${path.join(".")}`,
    fix: `Set ${path.join(".")} in the adapter`,
  }));
}

function notAnObject(stage: Stage, id: string, value: CueValue, cue: Cue): Problem {
  const place = cue.position(value);
  return {
    where: place === undefined ? [] : [place],
    what: `Resource ${stage}/${id} is not an object`,
    fix: "Make it a struct with provider, apiVersion, kind and metadata",
  };
}

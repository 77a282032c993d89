import { type JsonObject, listAt, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { escapeReferences } from "../model/text/reference-text.ts";
import { CueExpression, type CueSource, renderCue, renderFields } from "./render-cue.ts";

/** A parameter of the adapter, whose default is the value in the manifests. */
interface GeneratedParameter {
  readonly name: string;
  readonly type: "string" | "int";
  readonly value: string | number;
}

/** An adapter that compiles to exactly these objects if no parameter is set. */
export interface ManifestAdapter {
  readonly cue: string;
  /** The namespace of all objects; undefined if they name none or several. */
  readonly namespace: string | undefined;
}

/**
 * Creates an adapter from manifests.
 * The namespace, images and replicas become parameters, because they differ between environments
 * and releases.
 */
export function manifestAdapter(name: string, objects: readonly KubeObject[]): ManifestAdapter {
  const namespace = commonNamespace(objects);
  const workloads = objects.filter((object) => listContainerImages(object).length > 0);
  const parameters: GeneratedParameter[] = [];
  const uniqueName = uniqueNamer(["namespace"]);
  const ids = resourceIds(objects);
  const resources = objects.map((object, index) => {
    const own = workloads.includes(object)
      ? workloadParameters(object, parameterPrefix(object, workloads), uniqueName)
      : [];
    parameters.push(...own.map(({ parameter }) => parameter));
    let source: CueSource = escapeReferences<JsonObject>(object);
    for (const { path, parameter } of own) source = withReference(source, path, parameter.name);
    if (namespace !== undefined && textAt(object, "metadata", "namespace") === namespace) {
      source = withReference(source, ["metadata", "namespace"], "namespace");
    }
    return [ids[index] ?? "", source] as const;
  });
  const all: readonly GeneratedParameter[] =
    namespace === undefined
      ? parameters
      : [{ name: "namespace", type: "string", value: namespace }, ...parameters];
  return { cue: renderAdapter(name, all, resources), namespace };
}

function renderAdapter(
  name: string,
  parameters: readonly GeneratedParameter[],
  resources: readonly (readonly [string, CueSource])[],
): string {
  const declared = parameters.map((parameter) => [
    parameter.name,
    new CueExpression(`${parameter.type} | *${renderCue(escapeReferences(parameter.value))}`),
  ]);
  const blocks = resources.map(([id, source]) => renderFields({ [id]: source }, "\t\t"));
  return `// Package app contains the manifests that \`qvs init --from\` read.
package app

DesignPattern: {
	name: ${renderCue(name)}

${declared.length === 0 ? "" : `	// Each deployment can have its own values: see params in .valuestream/qvs.yaml.\n	parameters: {\n${renderFields(Object.fromEntries(declared), "\t\t")}	}\n\n`}	resources: app: {
${blocks.join("\n")}	}
}
`;
}

interface ParameterReplacement {
  readonly path: readonly string[];
  readonly parameter: GeneratedParameter;
}

/**
 * Returns the words before a parameter's name that identify its workload.
 * Returns none if there is only one workload.
 */
function parameterPrefix(object: KubeObject, workloads: readonly KubeObject[]): readonly string[] {
  const name = textAt(object, "metadata", "name") ?? "";
  const sameNamed = workloads.filter((each) => textAt(each, "metadata", "name") === name);
  if (workloads.length === 1) return [];
  return sameNamed.length === 1 ? [name] : [name, object.kind, String(sameNamed.indexOf(object))];
}

function workloadParameters(
  object: KubeObject,
  prefix: readonly string[],
  uniqueName: (name: string) => string,
): readonly ParameterReplacement[] {
  const containers = listContainerImages(object);
  const workload = textAt(object, "metadata", "name");
  const found: ParameterReplacement[] = containers.map(({ path, name, image }) => {
    const isMain = containers.length === 1 || name === workload;
    const words = isMain ? prefix : [...prefix, name];
    const parameter = {
      name: uniqueName(camelCase([...words, "image"])),
      type: "string",
      value: image,
    } as const;
    return { path: [...path, "image"], parameter };
  });
  const replicas = numberAt(object, "spec", "replicas");
  if (replicas === undefined || !Number.isInteger(replicas)) return found;
  const name = uniqueName(camelCase([...prefix, "replicas"]));
  const parameter = { name, type: "int", value: replicas } as const;
  return [...found, { path: ["spec", "replicas"], parameter }];
}

/** The path of the Pod spec in each kind. */
const podSpecs: ReadonlyMap<string, readonly string[]> = new Map([
  ["CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
  ["DaemonSet", ["spec", "template", "spec"]],
  ["Deployment", ["spec", "template", "spec"]],
  ["Job", ["spec", "template", "spec"]],
  ["StatefulSet", ["spec", "template", "spec"]],
]);

interface ContainerImage {
  readonly path: readonly string[];
  readonly name: string;
  readonly image: string;
}

function listContainerImages(object: KubeObject): readonly ContainerImage[] {
  const path = podSpecs.get(object.kind);
  if (path === undefined) return [];
  return ["initContainers", "containers"].flatMap((list) =>
    listAt(object, ...path, list).flatMap((container, index) => {
      const [name, image] = [textAt(container, "name"), textAt(container, "image")];
      if (name === undefined || image === undefined) return [];
      return [{ path: [...path, list, String(index)], name, image }];
    }),
  );
}

function withReference(source: CueSource, path: readonly string[], parameter: string): CueSource {
  const [first, ...rest] = path;
  if (first === undefined) return new CueExpression(`parameters.${parameter}`);
  if (Array.isArray(source)) {
    return source.map((item: CueSource, index) =>
      index === Number(first) ? withReference(item, rest, parameter) : item,
    );
  }
  const fields = source as Readonly<Record<string, CueSource>>;
  const replaced = Object.entries(fields).map(([name, value]) => [
    name,
    name === first ? withReference(value, rest, parameter) : value,
  ]);
  return Object.fromEntries(replaced);
}

/**
 * Returns the resource id of each object: its kind if that is unique, otherwise name and kind, e.g.
 * `webDeployment`.
 * If the id still isn't unique, qvs adds the namespace, and then a number.
 */
function resourceIds(objects: readonly KubeObject[]): readonly string[] {
  const choices = [
    (object: KubeObject) => camelCase([object.kind.replace(/^[A-Z]+(?=[A-Z][a-z]|$)/, lowerCase)]),
    (object: KubeObject) => camelCase([textAt(object, "metadata", "name") ?? "", object.kind]),
    (object: KubeObject) =>
      camelCase([
        textAt(object, "metadata", "namespace") ?? "",
        textAt(object, "metadata", "name") ?? "",
        object.kind,
      ]),
  ];
  const ids = objects.map((object) => {
    const free = choices.find(
      (idOf) => objects.filter((o) => idOf(o) === idOf(object)).length === 1,
    );
    return free?.(object) ?? camelCase([textAt(object, "metadata", "name") ?? "", object.kind]);
  });
  return ids.map(uniqueNamer([]));
}

/**
 * Returns a function that makes names unique by adding a number.
 * Different names can become equal without their hyphens and dots.
 */
function uniqueNamer(taken: readonly string[]): (name: string) => string {
  const all = new Set(taken);
  return (name) => {
    let [free, number] = [name, 1];
    while (all.has(free)) {
      number += 1;
      free = `${name}${number}`;
    }
    all.add(free);
    return free;
  };
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** Joins words to a name that CUE needs no quotes for: `["my-web", "image"]` → `myWebImage`. */
function camelCase(words: readonly string[]): string {
  const parts = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).filter(Boolean);
  const joined = parts
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")
    .replace(/^[A-Z]/, lowerCase);
  return /^[a-z]/.test(joined) ? joined : `x${joined}`;
}

/**
 * Returns the namespace that all objects have in common.
 * Cluster-scoped objects have no namespace and don't count.
 */
function commonNamespace(objects: readonly KubeObject[]): string | undefined {
  const names = objects.map((object) => textAt(object, "metadata", "namespace"));
  const [first, ...others] = new Set(names.filter((name) => name !== undefined && name !== ""));
  return others.length === 0 ? first : undefined;
}

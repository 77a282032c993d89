import { liveManifest } from "../init/live-manifest.ts";
import { manifestAdapter } from "../init/manifest-adapter.ts";
import { containsPlainSecret } from "../init/plain-secret.ts";
import { readManifests } from "../init/read-manifests.ts";
import {
  adoptionFiles,
  type FileEntry,
  keepingFiles,
  type RepositoryFiles,
} from "../init/repository-files.ts";
import { apiProblem } from "../model/cluster/api/api-failure.ts";
import { isBuiltInGroup } from "../model/cluster/api/built-in-groups.ts";
import { isList, isObject, type Json } from "../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf } from "../model/object.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import type { Position, Problem } from "../model/problems/problem.ts";
import { removeClusterFields } from "../plan/declared/cluster-fields.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { hasSecretKind, isSensitiveObject } from "../redaction/sensitive-object.ts";
import { keepEveryNull, removeStrayNulls } from "../validation/nulls.ts";

/** A file of manifests. `file` is its name in messages. */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/** An object in the cluster. */
export interface LiveRequest {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface AdoptOptions {
  readonly name: string;
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** True to omit Secrets; false to throw an error. */
  readonly withoutSecrets: boolean;
}

export interface AdoptedFiles {
  readonly files: RepositoryFiles;
  /** The names of the omitted Secrets. */
  readonly omitted: readonly string[];
  /** The objects with a value that looks like a plain-text secret. */
  readonly plainTextSecrets: readonly string[];
}

interface FoundManifest {
  readonly object: KubeObject;
  readonly where: readonly Position[];
}

/** Reads the objects of manifest files. Throws a UserError with the errors of all files. */
export function readFiles(files: readonly ManifestFile[]): readonly FoundManifest[] {
  const read = files.map(({ file, text }) => readManifests(file, text));
  const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
  if (problems.length > 0) throw new UserError(problems);
  return read
    .flatMap((each) => (each.ok ? each.value : []))
    .map(({ object, where }) => ({
      object: withoutNulls(removeClusterFields(object)),
      where: [where],
    }));
}

/**
 * Reads objects from the cluster and reduces them to manifests. Throws a UserError with all errors.
 */
export async function readLive(
  cluster: Cluster,
  requests: readonly LiveRequest[],
): Promise<readonly FoundManifest[]> {
  const problems: Problem[] = [];
  const found: FoundManifest[] = [];
  for (const request of requests) {
    const live = await readOne(cluster, request);
    if ("problem" in live) problems.push(live.problem);
    else found.push({ object: liveManifest(live.object), where: [] });
  }
  if (problems.length > 0) throw new UserError(problems);
  return found;
}

async function readOne(
  cluster: Cluster,
  { group, kind, name, namespace }: LiveRequest,
): Promise<{ readonly object: KubeObject } | { readonly problem: Problem }> {
  const what = `${kind} ${name}`;
  const info = await cluster.preferredKind(group, kind);
  if (!info.ok) return { problem: apiProblem(cluster, `read ${what}`, info.failure) };
  const apiVersion = group === "" ? info.value.version : `${group}/${info.value.version}`;
  const live = await cluster.read({ apiVersion, kind, namespace, name });
  if (!live.ok) return { problem: apiProblem(cluster, `read ${what}`, live.failure) };
  if (live.value !== undefined) return { object: live.value };
  return {
    problem: {
      code: "invalid-input",
      where: [],
      what: `${what} doesn't exist in namespace ${namespace}`,
      fix: "Choose another object",
      otherwise: [
        "choose the object's namespace with --namespace",
        "choose the cluster with --context",
      ],
    },
  };
}

/**
 * Returns the files of a repository that deploys these objects unchanged. Throws a UserError for
 * Secrets, for duplicates, or if there are no objects.
 */
export function adopt(found: readonly FoundManifest[], options: AdoptOptions): AdoptedFiles {
  const secrets = found.filter(({ object }) => hasSecret(object));
  if (secrets.length > 0 && !options.withoutSecrets)
    throw new UserError(secrets.map(secretProblem));
  const kept = found.filter(({ object }) => !hasSecret(object));
  rejectDuplicates(kept, options.namespace);
  const objects = kept.map(({ object }) => object);
  if (objects.length === 0) throw noManifests();
  const adapter = manifestAdapter(options.name, objects);
  const namespace = adapter.namespace ?? options.namespace;
  return {
    files: adoptionFiles(options.name, namespace, adapter.cue),
    omitted: secrets.map(({ object }) => nameOf(idOf(object))),
    plainTextSecrets: objects.filter(containsPlainSecret).map((object) => nameOf(idOf(object))),
  };
}

export interface KeepOptions extends Pick<AdoptOptions, "name" | "namespace"> {
  readonly entries: readonly FileEntry[];
}

/**
 * Returns the files of a repository that deploys these objects from their own files. Throws a
 * UserError for duplicates, or if there are no objects.
 */
export function keep(found: readonly FoundManifest[], options: KeepOptions): AdoptedFiles {
  const { name, namespace, entries } = options;
  rejectDuplicates(found, namespace);
  // qvs renders a kustomization or a chart only when it compiles the config.
  const rendered = entries.some(({ form }) => form !== "manifests");
  if (found.length === 0 && !rendered) throw noManifests();
  const objects = found.map(({ object }) => object);
  const named = new Set(objects.flatMap((object) => idOf(object).namespace || []));
  const common = named.size === 1 ? [...named][0] : undefined;
  const risky = objects.filter((object) => hasSecret(object) || containsPlainSecret(object));
  return {
    files: keepingFiles(name, common ?? namespace, entries),
    omitted: [],
    plainTextSecrets: risky.map((object) => nameOf(idOf(object))),
  };
}

function noManifests(): UserError {
  return userError(
    "invalid-input",
    "--from contains no manifests",
    "Name a directory with YAML files, or objects in the cluster",
  );
}

function withValues(object: KubeObject): Pick<Problem, "what" | "why"> {
  return {
    what: `${nameOf(idOf(object))} contains values`,
    why: "Everyone with access to the repository could read them",
  };
}

function withoutValues(object: KubeObject): Pick<Problem, "what" | "why"> {
  return {
    what: `${nameOf(idOf(object))} contains no values here`,
    why: "Another tool writes its values, and doesn't read the repository",
  };
}

function secretProblem({ object, where }: FoundManifest): Problem {
  return {
    code: "secret-in-manifests",
    where,
    ...(containsValues(object) ? withValues(object) : withoutValues(object)),
    fix: "Add --without-secrets: the Secret stays in the cluster unchanged, and qvs doesn't manage it",
    otherwise: ["let a secret store write it, for example with an ExternalSecret"],
  };
}

/**
 * Reports whether previews treat the object, or one inside it, as a Secret. It includes a Secret
 * with a misspelled kind or version.
 */
function hasSecret(value: Json): boolean {
  if (isList(value)) return value.some(hasSecret);
  if (!isObject(value)) return false;
  const isWhole = "metadata" in value && hasSecretKind(value);
  return isWhole || isSensitiveObject(value) || Object.values(value).some(hasSecret);
}

function containsValues({ apiVersion: _a, kind: _k, metadata: _m, ...rest }: KubeObject): boolean {
  return Object.values(rest).some((part) => isObject(part) && Object.keys(part).length > 0);
}

function rejectDuplicates(found: readonly FoundManifest[], namespace: string): void {
  const seen = new Map<string, FoundManifest>();
  const problems: Problem[] = [];
  for (const each of found) {
    const id = idOf(each.object);
    const key = keyOf({ ...id, namespace: id.namespace || namespace });
    const first = seen.get(key);
    seen.set(key, first ?? each);
    if (first === undefined) continue;
    const what = `${nameOf(id)} is declared twice`;
    problems.push({
      code: "duplicate-object",
      where: [...each.where, ...first.where],
      what,
      fix: "Remove one of the two",
    });
  }
  if (problems.length > 0) throw new UserError(problems);
}

/**
 * Removes null values that have no meaning. In a custom resource, its CustomResourceDefinition
 * decides about them later.
 */
function withoutNulls(object: KubeObject): KubeObject {
  const isBuiltIn = isBuiltInGroup(groupOf(object.apiVersion));
  const rules = isBuiltIn ? ({ by: "built-in kind" } as const) : keepEveryNull;
  return removeStrayNulls(object, rules).object as KubeObject;
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isKubeObject, type KubeObject } from "../../../src/model/object.ts";
import { runGo } from "../../support/cluster/go.ts";

/**
 * Modules that the programs of the control plane and the test tools are built from. Their go.mod
 * and go.sum pin the versions and hashes. The manifests are read from Go's module cache, and
 * nothing else is downloaded.
 */
const sources = {
  kubernetes: { builds: "control-plane", module: "k8s.io/kubernetes" },
  apiextensions: { builds: "control-plane", module: "k8s.io/apiextensions-apiserver" },
  rollouts: { builds: "rollouts", module: "github.com/argoproj/argo-rollouts" },
  kapp: { builds: "tools/kapp", module: "carvel.dev/kapp" },
} as const;

/** `source:path`: a file, or a directory with all files in it. */
export type From = `${keyof typeof sources}:${string}`;

const places = new Map<string, Promise<string>>();

/** Returns all objects of a source, in the order of its files. */
export async function manifestsFrom(from: From): Promise<readonly KubeObject[]> {
  const [source, path] = from.split(":") as [keyof typeof sources, string];
  const root = await place(source);
  const files = /\.ya?ml$/.test(path) ? [path] : await filesBelow(root, path);
  const read = files.map((file) => readFile(join(root, file), "utf8"));
  return (await Promise.all(read)).flatMap(objectsIn);
}

function place(source: keyof typeof sources): Promise<string> {
  const { builds, module } = sources[source];
  const known = places.get(source) ?? download(builds, module);
  places.set(source, known);
  return known;
}

/**
 * Returns the directory in Go's module cache. On a machine that has only the built programs, Go
 * downloads the module again.
 */
async function download(builds: string, module: string): Promise<string> {
  const directory = join(import.meta.dirname, "../../support/cluster", builds);
  const answer = JSON.parse(await runGo(directory, ["mod", "download", "-json", module], {}));
  return answer.Dir;
}

async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  const all = await readdir(join(root, folder), { recursive: true });
  return all
    .filter((file) => /\.ya?ml$/.test(file))
    .toSorted()
    .map((file) => join(folder, file));
}

export function objectsIn(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS())
    .filter(isKubeObject);
}

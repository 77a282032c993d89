import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withLock } from "../processes/lock.ts";
import { showBuildProgress } from "./build-progress.ts";
import { cacheDirectory } from "./cache.ts";
import { requireGo, runGo } from "./go.ts";
import { defaultKubernetes, type OtherVersion, otherKubernetes } from "./kubernetes-versions.ts";

/**
 * Programs that are built from one go.mod. It pins every version, so nothing except Go modules is
 * downloaded.
 */
export type ToolModule =
  | "control-plane"
  | `kubernetes-${OtherVersion}`
  | "rollouts"
  | "act"
  | "cue"
  | "cue-v0.10"
  | "pulumi-yaml"
  | "actionlint"
  | "kapp"
  | "helm"
  | "kustomize"
  | "kubelet"
  | "container-runtime"
  | "node-programs";

export interface Binaries {
  /** The directory of the built programs and of other required files of the module. */
  readonly directory: string;
  /** Returns the absolute path of a program. */
  readonly path: (program: string) => string;
}

interface Recipe {
  /** The directory of go.mod and go.sum, relative to this file. */
  readonly source: string;
  readonly ldflags: string;
  /** Build tags of Go. Default: none. */
  readonly tags?: string;
  /** The duration of a first build on two cores. */
  readonly firstBuild: string;
  /** Additional source files next to go.mod, for modules without a suitable program. */
  readonly own?: readonly string[];
  /** A directory of a module's source that is needed in addition to its programs. */
  readonly keep?: { readonly module: string; readonly folder: string; readonly as: string };
}

const strip = "-s -w";
/**
 * Returns the flags that set the version. Without them, Kubernetes reports v0.0.0, which clients
 * treat as very old.
 */
function versionFlags(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  const values = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

function kubernetesRecipe(source: string, version: string): Recipe {
  return { source, ldflags: `${strip} ${versionFlags(version)}`, firstBuild: "5 to 8 minutes" };
}

/** Returns the recipe of only the API server, the controllers and the scheduler. */
function otherKubernetesRecipe(version: OtherVersion): Recipe {
  return kubernetesRecipe(`kubernetes-${version}`, otherKubernetes[version]);
}

const recipes: Readonly<Record<ToolModule, Recipe>> = {
  "control-plane": kubernetesRecipe("control-plane", defaultKubernetes),
  "kubernetes-1.32": otherKubernetesRecipe("1.32"),
  "kubernetes-1.33": otherKubernetesRecipe("1.33"),
  "kubernetes-1.34": otherKubernetesRecipe("1.34"),
  "kubernetes-1.35": otherKubernetesRecipe("1.35"),
  "kubernetes-1.37": otherKubernetesRecipe("1.37"),
  rollouts: {
    source: "rollouts",
    ldflags: strip,
    firstBuild: "about 3 minutes",
    keep: { module: "github.com/argoproj/argo-rollouts", folder: "manifests/crds", as: "crds" },
  },
  act: { source: "tools/act", ldflags: strip, firstBuild: "about 2 minutes" },
  cue: { source: "tools/cue", ldflags: strip, firstBuild: "about 1 minute" },
  // The last version that allows `+` between lists, which real adapters use.
  "cue-v0.10": { source: "tools/cue-v0.10", ldflags: strip, firstBuild: "about 1 minute" },
  "pulumi-yaml": {
    source: "tools/pulumi-yaml",
    ldflags: strip,
    firstBuild: "about 2 minutes",
    own: ["main.go"],
  },
  kapp: { source: "tools/kapp", ldflags: strip, firstBuild: "about 2 minutes" },
  helm: { source: "tools/helm", ldflags: strip, firstBuild: "about 2 minutes" },
  kustomize: { source: "tools/kustomize", ldflags: strip, firstBuild: "about 1 minute" },
  // The kubelet and kube-proxy.
  kubelet: {
    source: "tools/kubelet",
    ldflags: `${strip} ${versionFlags("1.36.4")}`,
    firstBuild: "about 3 minutes",
  },
  // containerd, runc, and the network plugins that containerd calls. runc needs libseccomp-dev.
  "container-runtime": {
    source: "tools/container-runtime",
    ldflags: strip,
    tags: "seccomp,no_btrfs,no_zfs,no_devmapper",
    firstBuild: "about 2 minutes",
  },
  // The programs in the containers, and the one that sends requests. Linked statically, because
  // their images contain nothing else.
  "node-programs": {
    source: "tools/node-programs",
    ldflags: strip,
    tags: "netgo,osusergo",
    firstBuild: "half a minute",
    own: ["load/main.go", "pause/main.go", "server/main.go"],
  },
  actionlint: { source: "tools/actionlint", ldflags: strip, firstBuild: "half a minute" },
};

/**
 * Returns the programs of a module from the cache. Builds them if they are missing. The cache key
 * is the hash of go.mod and go.sum, so a change of either causes a new build, and an old checkout
 * finds its old programs. Throws a UserError if Go is missing.
 */
export async function buildTools(module: ToolModule): Promise<Binaries> {
  const { source, directory } = await placeOf(module);
  if (!existsSync(directory)) {
    await mkdir(dirname(directory), { recursive: true });
    await withLock(`${directory}.lock`, () => buildOnce(module, source, directory));
  }
  return { directory, path: (program) => join(directory, program) };
}

/** Returns true if the cache contains the programs of a module. */
export async function isBuilt(module: ToolModule): Promise<boolean> {
  return existsSync((await placeOf(module)).directory);
}

async function placeOf(
  module: ToolModule,
): Promise<{ readonly source: string; readonly directory: string }> {
  const recipe = recipes[module];
  const source = join(import.meta.dirname, recipe.source);
  const name = `${module}-${await sourceHash(source, recipe)}`;
  return { source, directory: join(cacheDirectory(), "tools", name) };
}

async function sourceHash(source: string, recipe: Recipe): Promise<string> {
  const hash = createHash("sha256").update(recipe.ldflags + (recipe.tags ?? ""));
  for (const file of ["go.mod", "go.sum", ...(recipe.own ?? [])])
    hash.update(await readFile(join(source, file)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * Builds in a temporary directory and renames it at the end, so that an interrupted build never
 * looks complete.
 */
async function buildOnce(module: ToolModule, source: string, directory: string): Promise<void> {
  if (existsSync(directory)) return;
  const recipe = recipes[module];
  await requireGo(source);
  process.stderr.write(
    `Building ${module} from source; the first time takes ${recipe.firstBuild} …\n`,
  );
  const unfinished = await mkdtemp(`${directory}.building-`);
  try {
    const started = Date.now();
    const flags = ["-trimpath", "-buildvcs=false", "-mod=readonly", `-ldflags=${recipe.ldflags}`];
    if (recipe.tags !== undefined) flags.push(`-tags=${recipe.tags}`);
    await install(module, source, flags, unfinished);
    if (recipe.keep !== undefined) await keepFolder(source, recipe.keep, unfinished);
    await rename(unfinished, directory);
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stderr.write(`Built ${module} in ${seconds} s, kept in ${directory}\n`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function install(
  module: ToolModule,
  source: string,
  flags: readonly string[],
  target: string,
): Promise<void> {
  const fetching = showBuildProgress(module, 0);
  const listed = await runGo(source, ["list", "-deps", "tool"], {}, fetching.onLine);
  fetching.end();
  const progress = showBuildProgress(module, listed.trim().split("\n").length);
  await runGo(source, ["install", "-v", ...flags, "tool"], { GOBIN: target }, progress.onLine);
  progress.end();
}

/**
 * Copies only the contents of files. The module cache is read-only, and a directory with its mode
 * couldn't be deleted.
 */
async function keepFolder(
  source: string,
  keep: NonNullable<Recipe["keep"]>,
  target: string,
): Promise<void> {
  const root = await runGo(source, ["list", "-m", "-f", "{{.Dir}}", keep.module], {});
  const from = join(root.trim(), keep.folder);
  await mkdir(join(target, keep.as));
  for (const file of await readdir(from)) {
    await writeFile(join(target, keep.as, file), await readFile(join(from, file)));
  }
}

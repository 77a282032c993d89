import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { StoredKinds } from "../src/model/fields/field-type.ts";
import { runGo } from "../test/support/cluster/go.ts";
import { otherKubernetes } from "../test/support/cluster/kubernetes-versions.ts";
import { type OpenApi, storedKinds } from "./stored-kinds.ts";
import { storedLifecycles } from "./stored-lifecycles.ts";

/**
 * Writes src/io/builtin-kinds/packed.ts: the fields of all kinds of the supported Kubernetes
 * versions, and the versions in which kinds begin and end. The sources are the OpenAPI documents
 * and the Go types of the modules that the control planes are built from, in test/support/cluster.
 * A system test compares the result with the control plane's own documents and with the modules.
 */
const target = "src/io/builtin-kinds/packed.ts";
const clusters = join(import.meta.dirname, "../test/support/cluster");

/** The modules with the Go types of the built-in kinds. */
const typeModules = ["k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"];

/** The directory of the module that a go.mod names, and its version. */
interface KubernetesModule {
  readonly Version: string;
  readonly Dir: string;
}

async function downloadModule(folder: string, name: string): Promise<KubernetesModule> {
  const args = ["mod", "download", "-json", name];
  return JSON.parse(await runGo(join(clusters, folder), args, {})) as KubernetesModule;
}

function readDocuments({ Dir }: KubernetesModule): readonly OpenApi[] {
  const folder = join(Dir, "api/openapi-spec/v3");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as OpenApi);
}

// The usual version is first.
const folders = ["control-plane", ...Object.keys(otherKubernetes).map((it) => `kubernetes-${it}`)];
const places = new Map<string, number>();
const all: StoredKinds[] = [];
const types: KubernetesModule[] = [];
for (const folder of folders) {
  const module = await downloadModule(folder, "k8s.io/kubernetes");
  for (const name of typeModules) types.push(await downloadModule(folder, name));
  const minor = module.Version.replace(/^v(\d+\.\d+)\..*$/, "$1");
  all.push(storedKinds(minor, readDocuments(module), places));
}
const packed = pack(all.map((kinds) => JSON.stringify(kinds)).join("\n"));
const oldestFirst = types.toSorted((a, b) => (a.Version < b.Version ? -1 : 1));
const lifecycles = storedLifecycles(oldestFirst.map(({ Dir }) => Dir));
const packedLifecycles = pack(JSON.stringify(lifecycles));
const versions = all.map(({ version }) => version);
writeFileSync(
  target,
  `/** Written by scripts/builtin-kinds.ts: the versions in \`packedKinds\`, the usual one first. */
export const packedVersions: readonly string[] = ${JSON.stringify(versions)};

/** One line of JSON for each version, compressed with Brotli, in Base64. */
export const packedKinds =
  "${packed.toString("base64")}";

/** The versions in which kinds begin and end, as JSON, compressed in the same way. */
export const packedLifecycles =
  "${packedLifecycles.toString("base64")}";
`,
);
for (const { version, kinds, types } of all)
  console.log(`Kubernetes ${version}: ${Object.keys(kinds).length} kinds, ${types.length} types`);
console.log(`${Object.keys(lifecycles).length} lifecycles`);
console.log(`${target}: ${packed.length} and ${packedLifecycles.length} bytes`);

function pack(text: string): Buffer {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  return brotliCompressSync(text, { params });
}

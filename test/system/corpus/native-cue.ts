import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { isObject, type JsonObject } from "../../../src/model/json.ts";
import { modulePath, official } from "../../support/corpus/official.ts";

/** The result of the real `cue` for an adapter. */
type Exported =
  | { readonly ok: true; readonly resources: JsonObject }
  | { readonly ok: false; readonly message: string };

export interface NativeCue {
  /** Exports `resources` of an adapter and of its composites, unified by CUE itself. */
  export(pattern: string, params: JsonObject): Promise<Exported>;
  remove(): Promise<void>;
}

/**
 * Runs a real `cue` on a copy of the official adapters. The copy has two additions and no changes:
 * the language version, which `cue` requires since v0.9, and a package for every export.
 */
export async function nativeCue(program: string): Promise<NativeCue> {
  const module = await mkdtemp(join(tmpdir(), "qvs-native-cue-"));
  await cp(official, module, { recursive: true, mode: 0 });
  const file = join(module, "cue.mod/module.cue");
  await rm(file, { force: true });
  await writeFile(file, `module: "${modulePath}"\nlanguage: version: "v0.9.0"\n`);
  let count = 0;
  return {
    async export(pattern, params) {
      const folder = `qvs-check/${count++}`;
      await mkdir(join(module, folder), { recursive: true });
      await writeFile(join(module, folder, "main.cue"), composition(pattern, params));
      return run(program, module, `./${folder}`);
    },
    remove: () => rm(module, { recursive: true, force: true }),
  };
}

/**
 * Returns the composition of docs/reference/adapters.md#composition in CUE, one level deep. No
 * official adapter composes an adapter that composes another one with resources.
 */
function composition(pattern: string, params: JsonObject): string {
  return `package check

import pattern "${pattern}"

_used: pattern.DesignPattern & {
	parameters: ${JSON.stringify(params)}
	composites: [...]
	resources: {...}
}
resources: {
	_used.resources
	for each in _used.composites {
		(each.pattern & {
			parameters: [if each.params != _|_ {each.params}, {}][0]
			resources: {...}
		}).resources
	}
}
`;
}

/** Runs an export to YAML, which distinguishes bytes from strings. JSON doesn't. */
async function run(program: string, module: string, folder: string): Promise<Exported> {
  const args = ["export", folder, "-e", "resources", "--out", "yaml"];
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: module });
    const resources: unknown = parse(stdout, { customTags: [bytesAsText] });
    return {
      ok: true,
      resources: isObject(resources as JsonObject) ? (resources as JsonObject) : {},
    };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

const bytesAsText = {
  tag: "tag:yaml.org,2002:binary",
  resolve: (base64: string) => Buffer.from(base64, "base64").toString(),
};

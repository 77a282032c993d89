import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../src/model/json.ts";
import { userError } from "../src/model/problems/errors.ts";
import type { Adapter } from "./adapters.ts";
import { qvs } from "./qvs.ts";
import type { Command } from "./timed.ts";

/** One adapter, prepared so that both programs can compile it. */
export interface Workplace {
  readonly cueExport: Command;
  readonly qvsCompile: Command;
  /** A command that prints EngineCosts. */
  readonly engineCosts: Command;
  remove(): void;
}

/** Prepares a copy of the adapters for each program, in the layout that it expects. */
export function prepareWorkplace({ folder, params }: Adapter, cue: string): Workplace {
  const corpus = findCorpus();
  const directory = mkdtempSync(join(tmpdir(), "qvs-bench-"));
  const [ours, theirs] = [join(directory, "ours"), join(directory, "theirs")];
  cpSync(corpus, join(ours, "adapters"), { recursive: true });
  cpSync(corpus, theirs, { recursive: true });
  const withImage = { ...params, imageName: "$(params.image)" };
  writeRepository(ours, { pattern: `${modulePath}/${folder}`, params: withImage });
  writeModule(theirs, { ...params, imageName: image });
  const script = join(import.meta.dirname, "engine-costs.ts");
  return {
    cueExport: { program: cue, args: exportArgs(folder), directory: theirs },
    qvsCompile: qvs(ours, "compile", "--format", "json", "--quiet", "--param", `image=${image}`),
    engineCosts: { program: process.execPath, args: [script], directory: ours },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

const modulePath = "qmonus.net/adapter/official";
const image = "registry.example/app:1.4";

function findCorpus(): string {
  const corpus = join(process.env.QVS_CORPUS ?? "", "official-cloud-native-adapters");
  if (process.env.QVS_CORPUS && existsSync(corpus)) return corpus;
  throw userError(
    "invalid-input",
    "the adapters to compile are not there: they are not a part of this project",
    "Set QVS_CORPUS to the folder that holds a clone of official-cloud-native-adapters",
  );
}

function writeRepository(directory: string, use: JsonObject): void {
  const modules = [{ name: modulePath, local: { path: "../adapters" } }];
  const declared = [{ name: "image", type: "string" }];
  const config = JSON.stringify({ params: declared, modules, designPatterns: [use] }, null, 2);
  mkdirSync(join(directory, ".valuestream"));
  writeFileSync(join(directory, ".valuestream/qvs.yaml"), config);
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
}

/** Writes the module file. `cue` reads a module only if the file has a language version. */
function writeModule(directory: string, params: JsonObject): void {
  const content = `module: "${modulePath}"\nlanguage: version: "v0.9.0"\n`;
  writeFileSync(join(directory, "cue.mod/module.cue"), content);
  writeFileSync(join(directory, paramsFile), JSON.stringify(params));
}

const paramsFile = "params.json";

function exportArgs(folder: string): string[] {
  const place = ["-l", '"DesignPattern"', "-l", '"parameters"'];
  return ["export", `./${folder}`, paramsFile, ...place, "-e", "DesignPattern.resources"];
}

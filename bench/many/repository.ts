import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "../timed.ts";
import { adapterFiles, applicationName, modulePath, paramsOf } from "./adapters.ts";

export const configsEach = 10;

/** A git repository with ten deployments for each adapter, in the layout that both programs use. */
export interface ManyRepository {
  readonly directory: string;
  /** The names of the deployments, in order. */
  readonly names: readonly string[];
  /** The directory for QVS_CACHE. */
  readonly cache: string;
  /** One `cue export` for each config, in the order of the deployments. */
  readonly cueExports: readonly Command[];
  forgetCompilations(): void;
  /** Adds a line to the adapter of one application. */
  changeOneAdapter(text: string): void;
  remove(): void;
}

/** Creates the repository with ten configs for each of `applications` adapters. */
export function prepareMany(cue: string, applications: number): ManyRepository {
  const home = mkdtempSync(join(tmpdir(), "qvs-many-"));
  const [directory, cache] = [join(home, "repository"), join(home, "cache")];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  for (const [path, text] of Object.entries(adapterFiles(applications)))
    write(`adapters/${path}`, text);
  const all = Array.from({ length: applications * configsEach }, (_, index) => ({
    application: index % applications,
    config: Math.floor(index / applications),
  }));
  const deployments = all.map(({ application, config }) => {
    const name = `${applicationName(application)}-${config}`;
    const params = paramsOf(application, config);
    write(`configs/${name}.yaml`, qvsConfig(application, params));
    write(`adapters/params/${name}.json`, JSON.stringify(params));
    return { name, config: `../configs/${name}.yaml`, namespace: params.namespace };
  });
  write(".valuestream/deployments.yaml", JSON.stringify({ deployments }));
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
  return {
    directory,
    cache,
    names: deployments.map(({ name }) => name),
    forgetCompilations: () => rmSync(cache, { recursive: true, force: true }),
    cueExports: all.map(({ application, config }) => ({
      program: cue,
      args: exportArgs(applicationName(application), config),
      directory: join(directory, "adapters"),
    })),
    changeOneAdapter: (text) => {
      const path = `${applicationName(applications - 1)}/main.cue`;
      write(`adapters/${path}`, `${adapterFiles(applications)[path]}\n// ${text}\n`);
    },
    remove: () => rmSync(home, { recursive: true }),
  };
}

function qvsConfig(application: number, params: object): string {
  const modules = [{ name: modulePath, local: { path: "../adapters" } }];
  const use = { pattern: `${modulePath}/${applicationName(application)}`, params };
  return JSON.stringify({ modules, designPatterns: [use] }, null, 2);
}

function exportArgs(name: string, config: number): string[] {
  const place = ["-l", '"DesignPattern"', "-l", '"parameters"'];
  const file = `./params/${name}-${config}.json`;
  return ["export", `./${name}`, "-t", "native", file, ...place, "-e", "Native"];
}

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { adapterFiles, applicationName, modulePath, paramsOf } from "../many/adapters.ts";

const applications = 20;

/** A git repository with many deployments, and a pull request that changes some of them. */
export interface Fleet {
  readonly directory: string;
  readonly base: string;
  readonly head: string;
  remove(): void;
}

/**
 * Creates a fleet of twenty adapters. Each deployment has its own config, as in `many`; the pull
 * request changes the image of some.
 */
export function prepareFleet(deployments: number, changed: number): Fleet {
  const directory = mkdtempSync(join(tmpdir(), "qvs-fleet-"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const all = Array.from({ length: deployments }, (_, index) => ({
    application: index % applications,
    number: Math.floor(index / applications),
  }));
  const writeConfig = ({ application, number }: (typeof all)[number], image: string) => {
    const name = `${applicationName(application)}-${number}`;
    const params = { ...paramsOf(application, number), image };
    const modules = [{ name: modulePath, local: { path: "../adapters" } }];
    const use = { pattern: `${modulePath}/${applicationName(application)}`, params };
    write(`configs/${name}.yaml`, JSON.stringify({ modules, designPatterns: [use] }, null, 2));
    return { name, config: `../configs/${name}.yaml`, namespace: params.namespace };
  };
  for (const [path, text] of Object.entries(adapterFiles(applications)))
    write(`adapters/${path}`, text);
  const entries = all.map((each) => writeConfig(each, "registry.example/app:1"));
  write(".valuestream/deployments.yaml", JSON.stringify({ deployments: entries }));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Dev", "-c", "user.email=dev@shop.example", ...args], {
      cwd: directory,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  const commit = () => {
    git("add", "--all");
    git("commit", "--quiet", "--message=x");
    return git("rev-parse", "HEAD");
  };
  const base = commit();
  for (const each of all.slice(0, changed)) writeConfig(each, "registry.example/app:2");
  return { directory, base, head: commit(), remove: () => rmSync(directory, { recursive: true }) };
}

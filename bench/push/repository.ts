import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A git repository with many deployments of four objects, each in its own Namespace. */
export interface PushedRepository {
  readonly directory: string;
  /** The commit before the deployments exist. */
  readonly empty: string;
  /** The commit with all deployments. */
  readonly first: string;
  /** The number of deployments. */
  readonly count: number;
  /** Checks out a commit with another value in the first `count` deployments. Returns its id. */
  change(count: number): string;
  checkOut(commit: string): void;
}

/** Writes a repository into a directory. `prefix` begins the names of its Namespaces. */
export function writePushedRepository(
  directory: string,
  prefix: string,
  count: number,
): PushedRepository {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, "configs"), { recursive: true });
  mkdirSync(join(directory, ".valuestream"));
  cpSync(join(import.meta.dirname, "adapters"), join(directory, "adapters"), { recursive: true });
  const git = (...args: readonly string[]) => runGit(directory, args);
  git("init", "--quiet", "--initial-branch=main");
  const empty = commitAll(git);
  const deployments = Array.from({ length: count }, (_, index) => ({
    name: `app-${index}`,
    config: `../configs/app-${index}.yaml`,
    namespace: `${prefix}-${index}`,
  }));
  for (const each of deployments) writeConfig(directory, each, "first");
  const list = JSON.stringify({ deployments }, null, 2);
  writeFileSync(join(directory, ".valuestream/deployments.yaml"), list);
  const first = commitAll(git);
  // qvs deploys only commits of the branch.
  git("update-ref", "refs/remotes/origin/main", first);
  return {
    directory,
    empty,
    first,
    count,
    change: (changed) => {
      git("checkout", "--quiet", "--detach", first);
      for (const each of deployments.slice(0, changed)) writeConfig(directory, each, "second");
      return commitAll(git);
    },
    checkOut: (commit) => void git("checkout", "--quiet", "--detach", commit),
  };
}

function writeConfig(
  directory: string,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  value: string,
): void {
  const config = {
    modules: [{ name: modulePath, local: { path: "../adapters" } }],
    designPatterns: [{ pattern: `${modulePath}/service`, params: { name, namespace, value } }],
  };
  writeFileSync(join(directory, "configs", `${name}.yaml`), JSON.stringify(config, null, 2));
}

const modulePath = "bench.example/push";

function commitAll(git: (...args: readonly string[]) => string): string {
  git("add", "--all");
  git("commit", "--quiet", "--message=x");
  return git("rev-parse", "HEAD");
}

function runGit(directory: string, args: readonly string[]): string {
  const identity = ["-c", "user.name=Dev", "-c", "user.email=dev@shop.example"];
  return execFileSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" }).trim();
}

import { execFileSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { reportFailure } from "../../../src/cli/output/report-failure.ts";
import { compile, compileText } from "../../../src/commands/compile.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import { chooseDeployment } from "../../../src/sources/list-deployments.ts";
import { openWorld } from "../../../src/world/open-world.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import type { QvsResult } from "../../support/qvs/run-qvs.ts";

export const ways = ["work tree", "commit"] as const;

/**
 * Runs `qvs compile` in a directory, with the files on disk like the command, or with the committed
 * files like the Action.
 */
export function compileIn(
  directory: string,
  way: (typeof ways)[number],
  compiler: Compiler,
  args: readonly string[] = [],
): Promise<QvsResult> {
  return way === "work tree"
    ? runHere(directory, ["compile", ...args], compiler)
    : compileCommit(directory, compiler, paramsIn(args));
}

function paramsIn(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => (args[index - 1] === "--params" ? [arg] : []));
}

async function compileCommit(
  directory: string,
  compiler: Compiler,
  params: readonly string[],
): Promise<QvsResult> {
  commitAll(directory);
  const stderr = new PassThrough();
  const answer = (code: number, stdout = "") => ({
    code,
    stdout,
    stderr: String(stderr.read() ?? ""),
  });
  try {
    const world = await openWorld({
      directory,
      read: "commit",
      env: { PATH: process.env.PATH, HOME: directory },
      streams: process,
      compiler,
      kubeconfig: undefined,
      signal: new AbortController().signal,
      repositoryName: undefined,
      origin: { commit: undefined, actor: undefined, run: undefined },
      quiet: true,
    });
    const nothing = { config: undefined, deployment: undefined, context: undefined };
    const selection = { ...nothing, namespace: undefined, params };
    const chosen = await chooseDeployment(world.source.tree, "shop", selection);
    return answer(0, compileText(await compile(world, chosen, [])));
  } catch (error) {
    return answer(reportFailure(error, stderr));
  }
}

function commitAll(directory: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], {
      cwd: directory,
      stdio: "pipe",
    });
  git("init", "--quiet");
  git("add", "--all", "--force");
  git("commit", "--quiet", "--allow-empty", "--message", "all");
}

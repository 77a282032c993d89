import { PassThrough } from "node:stream";
import { Command } from "commander";
import {
  type CommonOptions,
  deploymentOf,
  withClusterOptions,
  withCommonOptions,
} from "../../src/cli/flags/options.ts";
import { type PolicyFlags, policyOf, withPolicyOptions } from "../../src/cli/flags/policy.ts";
import type { Shell } from "../../src/cli/shell.ts";
import { diff } from "../../src/commands/diff.ts";
import { catchProblems } from "../../src/model/problems/errors.ts";
import type { Compiler } from "../../src/ports/cue.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import type { DeploymentReport } from "../../src/report/comment/comment-input.ts";
import { openWorld } from "../../src/world/open-world.ts";

type Flags = CommonOptions & PolicyFlags & { readonly adopt?: boolean };

export interface Foretold {
  readonly report: DeploymentReport;
  readonly cluster: Cluster;
  close(): void;
}

/** What a preview with the flags of a deployment says; undefined where there is none, as for flags that are wrong. */
export async function foretell(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>>,
): Promise<Foretold | undefined> {
  const flags = flagsIn(args);
  const { adopt = false, onlyStage, param: inline = [] } = flags;
  const world = await openWorld({
    ...{ directory, read: "work tree", compiler, kubeconfig: undefined, quiet: true },
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    signal: new AbortController().signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: env.USER, run: undefined },
  });
  const stream = new PassThrough();
  const shell = { argv: [], env, stdout: stream, stderr: stream, cwd: () => directory };
  const foretold = await catchProblems(async () => {
    const deployment = await deploymentOf(world, shell as unknown as Shell, flags);
    const policy = policyOf(flags);
    const options = { inline, policy, adopt, base: undefined, onlyStage };
    const report = await diff(world, deployment, options);
    const { cluster } = await world.target(deployment);
    return { report, cluster };
  });
  if (foretold.ok) return { ...foretold.value, close: () => world.close() };
  world.close();
  return undefined;
}

function flagsIn(args: readonly string[]): Flags {
  const command = withPolicyOptions(withClusterOptions(withCommonOptions(new Command())));
  command.option("--adopt").allowUnknownOption().allowExcessArguments().exitOverride();
  return command.parse([...args], { from: "user" }).opts<Flags>();
}

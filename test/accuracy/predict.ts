import { PassThrough } from "node:stream";
import { Command, CommanderError } from "commander";
import {
  type CommonOptions,
  selectDeployment,
  toSelection,
  withClusterOptions,
  withCommonOptions,
} from "../../src/cli/flags/options.ts";
import {
  type PolicyFlags,
  planPolicy,
  previewRequest,
  withPolicyOptions,
} from "../../src/cli/flags/policy.ts";
import type { Shell } from "../../src/cli/program/shell.ts";
import { diff } from "../../src/commands/diff.ts";
import { type DryRunSubject, dryRunDeployment } from "../../src/commands/dry-run.ts";
import { parseRevision } from "../../src/inputs/parse.ts";
import { type DeployRequest, defaultRequest } from "../../src/model/deployments/deploy-request.ts";
import type { Deployment } from "../../src/model/deployments/deployment.ts";
import { catchProblems } from "../../src/model/problems/errors.ts";
import type { PlannedDeployment } from "../../src/planning/planned-deployment.ts";
import type { Compiler } from "../../src/ports/cue.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import type { World } from "../../src/ports/world.ts";
import type { DeploymentReport } from "../../src/report/comment/comment-input.ts";
import { chooseRecorded } from "../../src/sources/list-deployments.ts";
import { openWorld } from "../../src/world/open-world.ts";

interface Flags extends CommonOptions, PolicyFlags {
  readonly adopt?: boolean;
  readonly dryRun?: boolean;
  readonly overrideFreeze?: string;
  readonly to?: number | "previous";
  readonly allowFailed?: boolean;
  readonly allowOutsideNamespace?: boolean;
  readonly allowIrreversible?: boolean;
  readonly deleteKept?: boolean;
}

export type PredictedReport = Pick<DeploymentReport, "plan" | "blockers" | "findings" | "rollback">;

export interface Prediction {
  readonly report: PredictedReport;
  readonly cluster: Cluster;
  close(): void;
}

/**
 * Returns the preview for a command's arguments: of a deployment, a rollback or a deletion.
 * Undefined if there is no preview, for example for wrong flags.
 */
export async function predict(
  directory: string,
  args: readonly string[],
  compiler: Compiler,
  env: Readonly<Record<string, string>>,
): Promise<Prediction | undefined> {
  const flags = flagsIn(args);
  if (flags === undefined) return undefined;
  const world = await openWorld({
    ...{ directory, read: "work tree", compiler, kubeconfig: undefined, quiet: true },
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    streams: process,
    signal: new AbortController().signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: env.USER, run: undefined },
  });
  const stream = new PassThrough();
  const shell = { argv: [], env, stdout: stream, stderr: stream, cwd: () => directory };
  const predicted = await catchProblems(async () => {
    const of = { world, shell: shell as unknown as Shell, flags };
    if (args[0] === "deploy") return predictDeployment(of);
    return predictRecorded(of, args[0] === "delete" ? "deletion" : releaseIn(flags));
  });
  if (predicted.ok) return { ...predicted.value, close: () => world.close() };
  world.close();
  return undefined;
}

interface Of {
  readonly world: World;
  readonly shell: Shell;
  readonly flags: Flags;
}

async function predictDeployment({ world, shell, flags }: Of): Promise<Omit<Prediction, "close">> {
  const deployment = await selectDeployment(world, shell, flags);
  if (flags.dryRun === true) {
    const subject = { inline: flags.param ?? [] };
    const { planned } = await dryRunDeployment(world, deployment, subject, requestIn(flags));
    return reportOf(world, deployment, planned);
  }
  const options = { inline: flags.param ?? [], request: previewRequest(flags), base: undefined };
  const report = await diff(world, deployment, options);
  const { cluster } = await world.target(deployment);
  return { report, cluster };
}

async function predictRecorded(
  { world, shell, flags }: Of,
  what: DryRunSubject,
): Promise<Omit<Prediction, "close">> {
  const selection = toSelection(world, shell, flags);
  const deployment = await chooseRecorded(world.source.tree, world.repositoryName, selection);
  const { planned } = await dryRunDeployment(world, deployment, what, requestIn(flags));
  return reportOf(world, deployment, planned);
}

async function reportOf(
  world: World,
  deployment: Deployment,
  planned: PlannedDeployment,
): Promise<Omit<Prediction, "close">> {
  const { plan, findings } = planned;
  const blockers = planned.executable ? [] : planned.blockers;
  const rollback = planned.executable ? planned.rollback : undefined;
  const { cluster } = await world.target(deployment);
  return { report: { plan, blockers, findings, rollback }, cluster };
}

function releaseIn({ to, allowFailed = false }: Flags): DryRunSubject {
  if (to === undefined) throw new Error("the command has no release");
  return { release: { to, allowFailed } };
}

function requestIn(flags: Flags): DeployRequest {
  const { adopt = false, onlyStage, deleteKept, overrideFreeze } = flags;
  const { allowOutsideNamespace = false, allowIrreversible = false } = flags;
  const policy = planPolicy(flags);
  return {
    ...defaultRequest,
    limits: { timeoutMs: 600_000, concurrency: 10 },
    policy: deleteKept === true ? { ...policy, keepRevisions: 0 } : policy,
    ...{ adopt, onlyStage, overrideFreeze, allowOutsideNamespace, allowIrreversible },
  };
}

function flagsIn(args: readonly string[]): Flags | undefined {
  const command = withPolicyOptions(withClusterOptions(withCommonOptions(new Command())));
  command.option("--to <revision>", "", parseRevision);
  command.option("--override-freeze <id>");
  for (const flag of ["delete-kept", "adopt", "dry-run"]) command.option(`--${flag}`);
  for (const flag of ["failed", "outside-namespace", "irreversible"])
    command.option(`--allow-${flag}`);
  command.allowUnknownOption().allowExcessArguments().exitOverride();
  command.configureOutput({ writeErr: () => {} });
  try {
    return command.parse([...args], { from: "user" }).opts<Flags>();
  } catch (error) {
    if (error instanceof CommanderError) return undefined;
    throw error;
  }
}

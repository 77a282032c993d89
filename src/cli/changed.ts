import { type Command, Option } from "commander";
import { type Changed, changed } from "../commands/changed.ts";
import { buildMatrix } from "../config/matrix.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError } from "../model/problems/errors.ts";
import type { World } from "../ports/world.ts";
import { changedJson, changedText } from "../report/queries/changed.ts";
import { collect, pathInRepository, requireAnyFlag } from "./flags/options.ts";
import { print, printJson, printJsonLine } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { printProblem } from "./output/show-problem.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

const formats = ["text", "json", "matrix"] as const;

interface ChangedFlags {
  readonly base?: string;
  readonly all?: boolean;
  readonly params?: readonly string[];
  readonly param?: readonly string[];
  readonly kubeconfig?: string;
  readonly quiet?: boolean;
  readonly format: (typeof formats)[number];
}

export function defineChanged(command: Command, run: RunCommand): void {
  requireAnyFlag(command, ["--kubeconfig"], ["--base"]);
  command
    .optionsGroup("Selection:")
    .option(
      "--base <commit>",
      "list deployments that differ between this commit and HEAD (required without --all)",
    )
    .option("-a, --all", "list every deployment of the repository")
    .option("-p, --params <file>", "parameter file for all deployments; repeatable", collect)
    .option("--param <name=value>", "parameter for all deployments; repeatable", collect)
    .option("--kubeconfig <file>", "kubeconfig; also list unfinished deployments of earlier pushes")
    .optionsGroup("Options:")
    .addOption(
      new Option("--format <format>", "format of the output; matrix is for a GitHub workflow")
        .choices(formats)
        .default("text", "text"),
    )
    .option("-q, --quiet", "print no progress and no warnings")
    .action((flags: ChangedFlags) =>
      run(flags, async (world, shell) => {
        if ((flags.base === undefined) === (flags.all === undefined)) throw selectionMissing();
        show(await changed(world, changedOptions(flags, world, shell)), flags, shell);
        return exitCode.done;
      }),
    );
}

function selectionMissing(): UserError {
  return new UserError([
    {
      code: "conflicting-flags",
      where: [],
      what: "qvs changed needs either --base or --all",
      fix: "Compare with a commit, for example --base origin/main",
      otherwise: ["list all deployments with --all"],
    },
  ]);
}

function changedOptions(flags: ChangedFlags, world: World, shell: Shell) {
  const params = (flags.params ?? []).map((path) => pathInRepository(world, shell, path));
  return {
    base: flags.base,
    compares: "HEAD" as const,
    inline: flags.param ?? [],
    adjusted: (deployment: Deployment) => ({
      ...deployment,
      params: [...deployment.params, ...params],
    }),
    readsCluster: flags.kubeconfig !== undefined,
  };
}

function show(found: Changed, flags: ChangedFlags, shell: Shell): void {
  const { levels, deletions, listed, notices } = found;
  const { stdout, stderr } = shell;
  if (!flags.quiet) for (const notice of notices) printProblem(stderr, notice, "note");
  switch (flags.format) {
    case "text":
      print(stdout, changedText(found, listed, flags.base));
      return;
    case "json":
      printJson(stdout, changedJson(found));
      return;
    case "matrix": {
      const matrix = buildMatrix([...levels, ...deletions]);
      if (!matrix.ok) throw new UserError(matrix.problems);
      printJsonLine(stdout, matrix.value);
    }
  }
}

import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { rbac } from "../commands/rbac.ts";
import { environmentDeployment } from "../config/preview/environment-deployment.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { type RoleCommand, roleCommands } from "../planning/permissions/permission.ts";
import { parseRoleSubject, type RoleSubject } from "../planning/permissions/roles.ts";
import type { World } from "../ports/world.ts";
import { rolesJson, rolesText } from "../report/roles-text.ts";
import { readEntries, requirePreviewing } from "./environments/entries.ts";
import {
  type CommonOptions,
  selectDeployment,
  withCacheOption,
  withClusterOptions,
  withCommonOptions,
} from "./flags/options.ts";
import { printJson, printManifests } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import { printProblem } from "./output/show-problem.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

interface RbacFlags extends CommonOptions {
  readonly subject?: RoleSubject;
  readonly byKind?: boolean;
  readonly askCluster?: boolean;
  readonly format: "yaml" | "json";
}

export function defineRbac(command: Command, run: RunCommand): void {
  command.addArgument(
    new Argument("[for]", "command that needs the permissions")
      .choices(roleCommands)
      .default("deploy", "deploy"),
  );
  withCacheOption(withClusterOptions(withCommonOptions(command)))
    .addOption(
      new Option(
        "--subject <who>",
        "subject as serviceaccount:NAMESPACE/NAME, user:NAME or group:NAME (default: the ServiceAccount qvs-deploy, or qvs-COMMAND for preview and environments)",
      ).argParser(parseSubject),
    )
    .option("--by-kind", "grant access to all objects of a kind, also with new names")
    .option(
      "--ask-cluster",
      "ask the cluster for the resources of kinds, and for objects of earlier releases",
    )
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(["yaml", "json"])
        .default("yaml"),
    )
    .action((what: RoleCommand, flags: RbacFlags) =>
      run(flags, async (world, shell) => {
        const deployment =
          what === "environments"
            ? await sampleEnvironment(world, flags)
            : await selectDeployment(world, shell, flags);
        const { param: inline = [], byKind = false, askCluster = false } = flags;
        const subject = flags.subject ?? {
          type: "serviceaccount",
          namespace: deployment.namespace,
          name: subjectNames.get(what) ?? "qvs-deploy",
        };
        const options = { inline, command: what, subject, byKind, askCluster };
        const { documents, assumed, notices } = await rbac(world, deployment, options);
        if (!flags.quiet) {
          warnAssumed(assumed, shell);
          for (const each of notices) printProblem(shell.stderr, each, "warning");
        }
        if (flags.format === "json") printJson(shell.stdout, rolesJson(documents));
        else printManifests(shell.stdout, rolesText(documents));
        return exitCode.done;
      }),
    );
}

/** The ServiceAccounts of commands that have another one than a deployment. */
const subjectNames: ReadonlyMap<RoleCommand, string> = new Map([
  ["preview", "qvs-preview"],
  ["environments", "qvs-environments"],
]);

/** Returns one environment of an entry. The roles don't depend on its number. */
async function sampleEnvironment(world: World, flags: RbacFlags): Promise<Deployment> {
  const listed = await readEntries(world, flags);
  const entry = requirePreviewing(listed, flags.deployment);
  return environmentDeployment(entry, listed.entries, { number: 1, repository: {}, list: "" });
}

function parseSubject(text: string): RoleSubject {
  const subject = parseRoleSubject(text);
  if (subject !== undefined) return subject;
  throw new InvalidArgumentError("Write serviceaccount:NAMESPACE/NAME, user:NAME or group:NAME.");
}

function warnAssumed(assumed: readonly string[], { stderr }: Shell): void {
  if (assumed.length === 0) return;
  const warning: Problem = {
    code: "unknown-kind",
    what: "The names of some resources are assumed",
    why: "qvs reads the names from the cluster only with --ask-cluster",
    facts: [{ label: "resources", value: assumed.join(", ") }],
    fix: "Compare the names with `kubectl api-resources`",
    otherwise: ["add --ask-cluster"],
    where: [],
  };
  printProblem(stderr, warning, "warning");
}

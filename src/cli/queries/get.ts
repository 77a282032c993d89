import { type Command, Option } from "commander";
import {
  type DeploymentsAnswer,
  type DeploymentsQuery,
  getDeployments,
  getDeploymentsWithDrift,
  getInstances,
  getObjects,
} from "../../commands/queries/get.ts";
import {
  matchesKind,
  matchesLabels,
  parseKind,
  parseLabelSelector,
} from "../../inputs/kind-selector.ts";
import { userError } from "../../model/problems/errors.ts";
import { terminal } from "../../redaction/terminal.ts";
import { deploymentJson, renderDeployments } from "../../report/queries/deployments.ts";
import {
  instancesJson,
  renderInstances,
  renderTypes,
  typesJson,
} from "../../report/queries/instances.ts";
import { printReport } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import {
  allFlags,
  printAnswer,
  printNotices,
  type QueryAnswer,
  type QueryFlags,
  withQueryOptions,
} from "./answer.ts";
import { addOwners } from "./owners.ts";

interface GetFlags extends QueryFlags {
  readonly allNamespaces?: boolean;
  readonly kind?: string;
  readonly adapter?: string;
  readonly selector?: ReturnType<typeof parseLabelSelector>;
  readonly unhealthy?: boolean;
}

export function defineGet(get: Command, run: RunCommand): void {
  get.enablePositionalOptions();
  addDeployments(get, run);
  addTypes(get, run);
  addInstances(get, run);
  addOwners(get, run);
}

function addDeployments(get: Command, run: RunCommand): void {
  const command = get
    .command("deployments")
    .description("list deployments with current release, state and lock");
  withGetOptions(command)
    .option("--drift", "also compare each deployment with its release")
    .action(() => {
      const flags = allFlags<GetFlags & { readonly drift?: boolean }>(command);
      return run(flags, async (world, shell) => {
        const get = flags.drift === true ? getDeploymentsWithDrift : getDeployments;
        const answer = await get(world, parseQuestion(flags));
        const now = world.clock.now().toISOString();
        return printDeploymentsAnswer(shell, flags, answer, {
          text: (looks) => renderDeployments(answer.deployments, { now, looks }),
          json: () => ({ deployments: answer.deployments.map(deploymentJson) }),
        });
      });
    });
}

function addTypes(get: Command, run: RunCommand): void {
  const command = get
    .command("types")
    .description("list the kinds in use, with numbers of objects");
  withGetOptions(command).action(() => {
    const flags = allFlags<GetFlags>(command);
    return run(flags, async (world, shell) => {
      const answer = await getObjects(world, parseQuestion(flags));
      const { deployments } = answer;
      return printDeploymentsAnswer(shell, flags, answer, {
        text: (looks) => renderTypes(deployments, looks),
        json: () => typesJson(deployments),
      });
    });
  });
}

function addInstances(get: Command, run: RunCommand): void {
  const command = get
    .command("instances")
    .argument("[kind]", "kind, such as deploy or Rollout.argoproj.io (default: all)")
    .description("list objects with deployment, release, adapter and state");
  withGetOptions(command).action((kind: string | undefined) => {
    const given = allFlags<GetFlags>(command);
    if (kind !== undefined && given.kind !== undefined) throw kindTwice();
    const flags = kind === undefined ? given : { ...given, kind };
    return run(flags, async (world, shell) => {
      const answer = await getInstances(world, parseQuestion(flags));
      const known = { kept: answer.kept, now: world.clock.now().toISOString() };
      return printDeploymentsAnswer(shell, flags, answer, {
        text: (looks) => renderInstances(answer.deployments, known, looks),
        json: () => instancesJson(answer.deployments, known),
      });
    });
  });
}

function kindTwice() {
  return userError(
    "conflicting-flags",
    "The kind is set by both the argument and --kind",
    "Remove one of the two",
  );
}

/** Prints the answer. In format text, an empty answer is reported on stderr only. */
function printDeploymentsAnswer(
  shell: Shell,
  flags: GetFlags,
  answer: DeploymentsAnswer,
  form: QueryAnswer,
): number {
  printNotices(shell, flags, answer.notices);
  const isEmpty = answer.deployments.length === 0;
  printAnswer(shell, flags, isEmpty ? { ...form, text: () => terminal`` } : form);
  if (isEmpty) printEmptyAnswer(shell, answer, flags);
  return exitCode.done;
}

function withGetOptions(command: Command): Command {
  return withQueryOptions(command)
    .optionsGroup("Selection:")
    .addOption(
      new Option("-A, --all-namespaces", "search the whole cluster").conflicts("namespace"),
    )
    .option(
      "-l, --selector <labels>",
      "show objects with these labels, as in kubectl",
      parseLabelSelector,
    )
    .option("--kind <kind>", "show objects of this kind, such as deploy or Rollout.argoproj.io")
    .option(
      "--adapter <pattern>",
      "show objects of this adapter: its import path or the last part of it",
    )
    .option("--unhealthy", "show objects that aren't healthy")
    .optionsGroup("Options:");
}

function parseQuestion(flags: GetFlags): DeploymentsQuery {
  const { context, namespace, deployment, adapter, unhealthy, kind, selector } = flags;
  const word = kind === undefined ? undefined : parseKind(kind);
  return {
    ...{ context, namespace, deployment, adapter, unhealthy },
    allNamespaces: flags.allNamespaces === true,
    kind:
      kind === undefined || word === undefined
        ? undefined
        : { text: kind, is: ({ id }) => matchesKind(word, id) },
    labels: selector && ((labels) => matchesLabels(labels, selector)),
  };
}

/**
 * Reports an empty answer. It isn't an error, but the message names the namespace, so that a user
 * doesn't take it for the whole cluster.
 */
function printEmptyAnswer(
  { stderr }: Shell,
  { namespace }: DeploymentsAnswer,
  flags: GetFlags,
): void {
  const { kind, adapter, selector, unhealthy } = flags;
  const isFiltered = [kind, adapter, selector, unhealthy].some((each) => each !== undefined);
  const where = namespace === undefined ? "in any namespace" : `in namespace ${namespace}`;
  const elsewhere =
    namespace === undefined ? "" : "; add --all-namespaces to search the whole cluster";
  printReport(
    stderr,
    `${isFiltered ? "Nothing matches" : "Nothing is deployed"} ${where}${elsewhere}`,
  );
}

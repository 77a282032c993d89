import type { Command } from "commander";
import { type DeploymentsAnswer, getDeployments, type Question } from "../../commands/get.ts";
import { isKind, readKind } from "../../inputs/kinds.ts";
import { matchesLabels, parseLabels } from "../../inputs/label-selector.ts";
import { terminal } from "../../redaction/terminal.ts";
import { deploymentJson, renderDeployments } from "../../report/queries/deployments.ts";
import { exitCode } from "../failure.ts";
import { print } from "../print.ts";
import type { RunCommand } from "../run.ts";
import type { Shell } from "../shell.ts";
import {
  allFlags,
  printAnswer,
  printNotices,
  type QueryFlags,
  withQueryOptions,
} from "./answer.ts";

interface GetFlags extends QueryFlags {
  readonly allNamespaces?: boolean;
  readonly kind?: string;
  readonly adapter?: string;
  readonly selector?: ReturnType<typeof parseLabels>;
  readonly unhealthy?: boolean;
}

export function addGet(program: Command, run: RunCommand): void {
  const get = program
    .command("get")
    .description("what is deployed: deployments, types, instances, and who owns which field")
    .enablePositionalOptions();
  addDeployments(get, run);
}

function addDeployments(get: Command, run: RunCommand): void {
  const command = get
    .command("deployments")
    .description("all deployments, with the release that runs, how it is, and who holds the lock");
  withGetOptions(command).action(() => {
    const flags = allFlags<GetFlags>(command);
    return run(flags, async (world, shell) => {
      const answer = await getDeployments(world, questionOf(flags));
      printNotices(shell, flags, answer.notices);
      const now = world.clock.now().toISOString();
      printAnswer(shell, flags, {
        text: (looks) =>
          answer.deployments.length === 0
            ? terminal``
            : renderDeployments(answer.deployments, { now, looks }),
        json: () => ({ deployments: answer.deployments.map(deploymentJson) }),
      });
      if (answer.deployments.length === 0) tellNothing(shell, answer, flags);
      return exitCode.done;
    });
  });
}

function withGetOptions(command: Command): Command {
  return withQueryOptions(command)
    .optionsGroup("Which of them:")
    .option("-A, --all-namespaces", "of the whole cluster")
    .option(
      "-l, --selector <labels>",
      "with an object of these labels, as kubectl takes them",
      parseLabels,
    )
    .option("--kind <kind>", "with an object of this kind, e.g. deploy or Rollout.argoproj.io")
    .option("--adapter <pattern>", "with an object of this adapter, or its last part")
    .option("--unhealthy", "with an object that is not as it should be")
    .optionsGroup("Options:");
}

function questionOf(flags: GetFlags): Question {
  const { context, namespace, deployment, adapter, unhealthy, kind, selector } = flags;
  const word = kind === undefined ? undefined : readKind(kind);
  return {
    ...{ context, namespace, deployment, adapter, unhealthy },
    allNamespaces: flags.allNamespaces === true,
    kind:
      kind === undefined || word === undefined
        ? undefined
        : { text: kind, is: ({ id }) => isKind(word, id) },
    labels: selector && ((labels) => matchesLabels(labels, selector)),
  };
}

/** An empty answer is no error, but nobody should take it for one of the whole cluster. */
function tellNothing({ stderr }: Shell, { namespace }: DeploymentsAnswer, flags: GetFlags): void {
  const { kind, adapter, selector, unhealthy } = flags;
  const isFiltered = [kind, adapter, selector, unhealthy].some((each) => each !== undefined);
  const where = namespace === undefined ? "in any namespace" : `in namespace ${namespace}`;
  const elsewhere = namespace === undefined ? "" : "; --all-namespaces looks everywhere";
  print(stderr, `${isFiltered ? "Nothing matches" : "Nothing is deployed"} ${where}${elsewhere}`);
}

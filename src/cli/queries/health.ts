import type { Command } from "commander";
import {
  judgeObjects,
  type ObjectToJudge,
  readReleaseRules,
} from "../../commands/queries/health.ts";
import { readNamedObject } from "../../commands/queries/read-named-object.ts";
import { kindWords, parseObjects } from "../../inputs/kind-selector.ts";
import type { Json } from "../../model/json.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { healthJson, renderHealth } from "../../report/queries/health.ts";
import { readManifestFiles, readStdinManifests } from "../files/read-manifest-files.ts";
import { collect, quietFlag, withClusterOptions } from "../flags/options.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import { type AnswerFlags, printAnswer, withAnswerOptions } from "./answer.ts";
import { type ObjectArgument, parseObjectArgument } from "./owners.ts";

interface HealthFlags extends AnswerFlags {
  readonly filename?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly quiet?: boolean;
}

export function defineHealth(command: Command, run: RunCommand): void {
  command
    .argument(
      "[kind/name...]",
      "objects in the cluster, such as deploy/web",
      (text: string, before: readonly ObjectArgument[] = []) => [
        ...before,
        parseObjectArgument(text),
      ],
    )
    .optionsGroup("Target:")
    .option(
      "-f, --filename <file>",
      "file or directory with objects, - for stdin; repeatable",
      collect,
    )
    .optionsGroup("Options:")
    .option(...quietFlag);
  withAnswerOptions(withClusterOptions(command)).action(
    (named: readonly ObjectArgument[] | undefined, flags: HealthFlags) =>
      run(flags, async (world, shell) => {
        const found = judgeObjects(
          await readObjects(world, shell, named ?? [], flags),
          world.clock.now(),
        );
        printAnswer(shell, flags, {
          text: (looks) => renderHealth(found, looks),
          json: () => healthJson(found),
        });
        const areReady = found.every(({ state }) => state === "ready");
        return areReady ? exitCode.done : exitCode.user;
      }),
  );
}

const noObject: Problem = {
  code: "invalid-input",
  where: [],
  what: "No object is named",
  fix: "Name an object, as in qvs health deploy/web",
  otherwise: ["read objects from stdin: kubectl get deploy -o json | qvs health -f -"],
};

/** Reads the objects in the order of the arguments: files first, which need no cluster. */
async function readObjects(
  world: World,
  shell: Shell,
  named: readonly ObjectArgument[],
  { filename = [], context, namespace }: HealthFlags,
): Promise<readonly ObjectToJudge[]> {
  if (named.length === 0 && filename.length === 0) {
    throw new UserError([noObject]);
  }
  const objects: ObjectToJudge[] = [];
  for (const each of filename) {
    objects.push(...(await readFileObjects(shell, each)).map((value) => ({ value })));
  }
  for (const each of named) {
    const value = await readNamedObject(world, { ...each, context, namespace, kindWords });
    objects.push({ value, rules: await readReleaseRules(world, value, context) });
  }
  return objects;
}

async function readFileObjects({ cwd, stdin }: Shell, from: string): Promise<readonly Json[]> {
  const files =
    from === "-" ? await readStdinManifests(stdin, stdinUsage) : readManifestFiles(cwd(), from);
  if (!files.ok) throw new UserError(files.problems);
  return files.value.flatMap(({ file, text }) => {
    const objects = parseObjects(text);
    if (typeof objects !== "string") return objects;
    throw new UserError([
      {
        code: "invalid-input",
        where: [],
        what: `${file} contains neither YAML nor JSON`,
        facts: [{ label: "error", value: objects }],
        fix: "Write objects as kubectl get -o yaml prints them",
      },
    ]);
  });
}

const stdinUsage = { flag: "-f -", example: "kubectl get deploy -o json | qvs health -f -" };

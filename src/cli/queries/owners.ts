import { type Command, InvalidArgumentError } from "commander";
import { readNamedObject } from "../../commands/queries/get-owners.ts";
import { isKind, kindWords, readKind } from "../../inputs/kinds.ts";
import { ownersJson, renderOwners } from "../../report/queries/owners.ts";
import { ownedFields } from "../../ssa/owned-fields.ts";
import { withClusterOptions } from "../flags/options.ts";
import { exitCode } from "../output/failure.ts";
import type { RunCommand } from "../run.ts";
import { allFlags, printAnswer, type QueryFlags, withAnswerOptions } from "./answer.ts";

interface OwnersFlags extends QueryFlags {
  readonly fields?: boolean;
}

export function addOwners(get: Command, run: RunCommand): void {
  const command = get
    .command("owners")
    .argument("<kind/name>", "an object of the cluster, e.g. deploy/web", parseObject)
    .description("who owns which field of an object, since when");
  withAnswerOptions(withClusterOptions(command))
    .option("--fields", "each field, also where everything around it has the same owners")
    .action((object: ReturnType<typeof parseObject>) => {
      const flags = allFlags<OwnersFlags>(command);
      return run(flags, async (world, shell) => {
        const { context, namespace } = flags;
        const live = await readNamedObject(world, { ...object, context, namespace, kindWords });
        const fields = ownedFields(live);
        const now = world.clock.now().toISOString();
        printAnswer(shell, flags, {
          text: (looks) =>
            renderOwners(live, fields, { now, everyField: flags.fields === true }, looks),
          json: () => ownersJson(live, fields),
        });
        return exitCode.done;
      });
    });
}

function parseObject(text: string) {
  const [, kind = "", name = ""] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  if (name === "") throw new InvalidArgumentError("Write KIND/NAME, for example deploy/web.");
  const word = readKind(kind);
  return { kind, name, isKind: (found: { kind: string; group: string }) => isKind(word, found) };
}

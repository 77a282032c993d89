import { type Command, InvalidArgumentError } from "commander";
import { type NamedObject, readNamedObject } from "../../commands/queries/read-named-object.ts";
import { kindWords, matchesKind, parseKind } from "../../inputs/kind-selector.ts";
import type { World } from "../../ports/world.ts";
import { ownersJson, renderOwners } from "../../report/queries/owners.ts";
import { ownedFields } from "../../ssa/managed-fields.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import { allFlags, locate, printAnswer, type QueryFlags, withQueryOptions } from "./answer.ts";

interface OwnersFlags extends QueryFlags {
  readonly fields?: boolean;
}

export function addOwners(get: Command, run: RunCommand): void {
  const command = get
    .command("owners")
    .argument("<kind/name>", "object in the cluster, such as deploy/web", parseObjectArgument)
    .description("show the owner of each field of an object");
  withQueryOptions(command)
    .option("--fields", "show each field, also if all fields around it have the same owners")
    .action((object: ReturnType<typeof parseObjectArgument>) => {
      const flags = allFlags<OwnersFlags>(command);
      return run(flags, async (world, shell) => {
        const place = await resolveNamespace(world, shell, flags);
        const live = await readNamedObject(world, { ...object, ...place, kindWords });
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

/**
 * Returns the context and the namespace of the object: those of the deployment if the flags name
 * one.
 */
async function resolveNamespace(
  world: World,
  shell: Shell,
  flags: OwnersFlags,
): Promise<Pick<NamedObject, "context" | "namespace">> {
  const { context, namespace, deployment: name } = flags;
  if (name === undefined) return { context, namespace };
  const { deployment } = await locate(world, shell, flags);
  return { context: deployment.context, namespace: deployment.namespace };
}

/** An object that the command line names. */
export type ObjectArgument = Pick<NamedObject, "kind" | "name" | "isKind">;

/** Parses KIND/NAME. */
export function parseObjectArgument(text: string): ObjectArgument {
  const [, kind = "", name = ""] = /^([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  if (name === "") throw new InvalidArgumentError("Write KIND/NAME, for example deploy/web.");
  const word = parseKind(kind);
  return {
    kind,
    name,
    isKind: (found: { kind: string; group: string }) => matchesKind(word, found),
  };
}

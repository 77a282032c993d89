import { type Command, InvalidArgumentError } from "commander";
import { explainField } from "../../deploying/why/explain-field.ts";
import type { ObjectQuestion } from "../../deploying/why/find-object.ts";
import { parseFieldPath } from "../../inputs/field-path.ts";
import { matchesKind, parseKind } from "../../inputs/kind-selector.ts";
import type { FieldStep } from "../../model/fields/field-differences.ts";
import { renderWhy, whyJson } from "../../report/queries/why.ts";
import { quietFlag, withClusterOptions } from "../flags/options.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import { locate, printAnswer, printNotices, type QueryFlags, withAnswerOptions } from "./answer.ts";

export function defineWhy(command: Command, run: RunCommand): void {
  command
    .argument("<deployment>", "name of the deployment")
    .argument("<object>", "object such as deploy/web or deploy/shop/web", parseObject)
    .argument(
      "<field>",
      "path such as spec.replicas or 'spec.template.spec.containers[name=\"web\"].image'",
      parseField,
    )
    .optionsGroup("Options:")
    .option(...quietFlag);
  withAnswerOptions(withClusterOptions(command)).action(
    (deployment: string, object: ObjectQuestion, path: readonly FieldStep[], flags: QueryFlags) =>
      run(flags, async (world, shell) => {
        const located = await locate(world, shell, { ...flags, deployment });
        const answer = await explainField(world, located, { object, path });
        printNotices(shell, flags, answer.notices);
        const now = world.clock.now().toISOString();
        printAnswer(shell, flags, {
          text: (looks) => renderWhy(answer, now, looks),
          json: () => whyJson(answer),
        });
        return exitCode.done;
      }),
  );
}

/** Parses KIND/NAME and KIND/NAMESPACE/NAME. */
function parseObject(text: string): ObjectQuestion {
  const [, kind = "", namespace, name = ""] =
    /^([^/\s]+)\/(?:([^/\s]+)\/)?([^/\s]+)$/.exec(text) ?? [];
  if (name === "")
    throw new InvalidArgumentError("Write KIND/NAME or KIND/NAMESPACE/NAME, such as deploy/web.");
  const word = parseKind(kind);
  return { text, name, namespace, isKind: (found) => matchesKind(word, found) };
}

function parseField(text: string): readonly FieldStep[] {
  const path = parseFieldPath(text);
  if (path === undefined)
    throw new InvalidArgumentError('Write a path such as spec.replicas or data["a.b"].');
  return path;
}

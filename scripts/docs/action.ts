import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { inputGroups } from "./action-inputs.ts";
import { wrap } from "./prose.ts";
import { code, sentence } from "./table.ts";

interface Described {
  readonly description: string;
  readonly default?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
}

/** Returns a heading for each input, by groups: its description, type, default and an example. */
export function actionInputs(): string {
  const { inputs } = action();
  const shown = inputGroups.flatMap((group) => Object.keys(group.inputs));
  const hidden = Object.keys(inputs).filter((name) => !shown.includes(name));
  if (hidden.length > 0) throw new Error(`No group of inputs has ${hidden.join(", ")}`);
  return inputGroups
    .flatMap((group) => [
      `### ${group.title}`,
      ...Object.entries(group.inputs).map(([name, facts]) => {
        const input = inputs[name];
        if (input === undefined) throw new Error(`action.yml has no input ${name}`);
        const written = input.default ? code(input.default) : undefined;
        const usual = written ?? facts.otherwise;
        if (usual === undefined) throw new Error(`The input ${name} has no default`);
        return [
          `#### ${name}`,
          wrap(sentence(input.description)),
          [
            wrap(`- Type: ${facts.type}${facts.values === undefined ? "" : ", one of:"}`, "  "),
            ...(facts.values ?? []).map((value) => `  - ${code(value)}`),
            wrap(`- Default: ${usual}`, "  "),
            `- Example: ${code(`${name}: ${facts.example}`)}`,
          ].join("\n"),
        ].join("\n\n");
      }),
    ])
    .join("\n\n");
}

/** Returns a list of the outputs. */
export function actionOutputs(): string {
  const outputs = Object.entries(action().outputs);
  return outputs
    .map(([name, { description }]) => wrap(`- ${code(name)}: ${sentence(description)}`, "  "))
    .join("\n");
}

function action(): Action {
  return parse(readFileSync(join(import.meta.dirname, "../../action.yml"), "utf8"));
}

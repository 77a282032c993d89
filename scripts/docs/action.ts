import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { code, sentence, table } from "./table.ts";

interface Described {
  readonly description: string;
  readonly default?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
}

export function actionInputs(): string {
  const rows = Object.entries(action().inputs).map(
    ([name, { description, default: value = "" }]) => [
      code(name),
      value === "" ? "" : code(value),
      sentence(description),
    ],
  );
  return table(["input", "default", "meaning"], rows);
}

export function actionOutputs(): string {
  const rows = Object.entries(action().outputs).map(([name, { description }]) => [
    code(name),
    sentence(description),
  ]);
  return table(["output", "meaning"], rows);
}

function action(): Action {
  return parse(readFileSync(join(import.meta.dirname, "../../action.yml"), "utf8"));
}

import { Help, type Option } from "commander";
import { plainLines } from "../../redaction/terminal.ts";
import { blanks, breakLine } from "../../redaction/wrap.ts";

const steps = [
  [
    "In a new repository",
    [
      ["qvs init", "write a first adapter, its deployments and workflows"],
      ["qvs init --from k8s/", "write an adapter from the manifests of a directory"],
    ],
  ],
  [
    "In a repository with .valuestream/qvs.yaml",
    [
      ["qvs diff", "show what a deployment would change"],
      ["qvs deploy", "apply, wait until all objects are ready, delete old objects"],
      ["qvs rollback --to previous", "restore the previous release"],
    ],
  ],
] as const;

const column = 30;

/**
 * Returns the first steps for new users, below the help of `qvs`. Lines have at most `width`
 * columns.
 */
export function firstSteps(width: number): string {
  const lines = steps.flatMap(([where, commands]) => [
    `${where}:`,
    ...commands.flatMap(([command, does]) =>
      breakLine(plainLines(`  ${command.padEnd(column - 2)}${does}`), width, blanks(column)),
    ),
  ]);
  return ["", ...lines].join("\n");
}

/**
 * Returns the description of a flag for the help. The default stands last, also if commander
 * doesn't know it because a missing flag has a meaning of its own.
 */
export function describeOption(option: Option): string {
  return new Help()
    .optionDescription(option)
    .replace(/ \((default: [^()]*)\) \((choices: [^()]*)\)$/, " ($2, $1)");
}

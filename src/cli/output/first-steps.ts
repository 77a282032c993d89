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
      ["qvs compile", "print the manifests"],
      ["qvs describe PATTERN", "show the parameters of an adapter"],
      ["qvs diff", "show what a deployment would change"],
      ["qvs deploy", "apply, wait until all objects are ready, delete old objects"],
      ["qvs rollback --to previous", "restore the previous release"],
      ["qvs delete", "delete a deployment with its objects and releases"],
      ["qvs lock", "lock Git modules at their current commits"],
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

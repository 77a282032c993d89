import { plainLines } from "../../redaction/terminal.ts";
import { blanks, breakLine } from "../../redaction/wrap.ts";

const steps = [
  [
    "In a new repository",
    [
      ["qvs init", "a first adapter, its deployments and workflows, after a few questions"],
      ["qvs init --from k8s/", "an adapter that takes over the manifests of a folder"],
    ],
  ],
  [
    "In a repository with .valuestream/qvs.yaml",
    [
      ["qvs compile", "the manifests, on stdout"],
      ["qvs describe PATTERN", "the parameters of an adapter"],
      ["qvs diff", "what a deployment would change; writes nothing"],
      ["qvs deploy", "apply it, wait until all is ready, delete what is no longer declared"],
      ["qvs rollback --to previous", "back to the release before"],
      ["qvs delete", "delete all that a deployment has deployed"],
      ["qvs lock", "keep modules from git at the commits that they are now"],
    ],
  ],
] as const;

const column = 30;

/** Where a newcomer begins, below the help of `qvs`, in lines of at most `width` columns. */
export function firstSteps(width: number): string {
  const lines = steps.flatMap(([where, commands]) => [
    `${where}:`,
    ...commands.flatMap(([command, does]) =>
      breakLine(plainLines(`  ${command.padEnd(column - 2)}${does}`), width, blanks(column)),
    ),
  ]);
  return ["", ...lines].join("\n");
}

import { type Command, Option } from "commander";
import { parseCount, parseProtectedKinds, splitNames } from "../../inputs/parse.ts";
import { type Stage, stages } from "../../model/compilation.ts";
import type { PlanPolicy } from "../../model/plan.ts";

/** What a deployment may do; a preview takes the same flags, so that it shows what will happen. */
export interface PolicyFlags {
  readonly allowDelete?: readonly string[];
  readonly conflicts: "fail" | "force";
  readonly takeover?: readonly string[];
  readonly onlyStage?: Stage;
  readonly keepRevisions?: number;
}

export function withPolicyOptions(command: Command): Command {
  return command
    .optionsGroup("What it may do:")
    .option(
      "--allow-delete <kinds>",
      "protected kinds that may be deleted, comma-separated; everything allows an empty config",
      parseProtectedKinds,
    )
    .addOption(
      new Option("--conflicts <policy>", "when others own a field that the manifests declare")
        .choices(["fail", "force"])
        .default("fail", "fail"),
    )
    .option(
      "--takeover <managers>",
      "take over all that these field managers hold, comma-separated; what is not declared of it goes",
      splitNames,
    )
    .addOption(
      new Option(
        "--only-stage <stage>",
        "deploy this stage only, and leave the other one as it is",
      ).choices(stages),
    )
    .option(
      "--keep-revisions <number>",
      "delete older keepOnDelete objects that nothing names any more, keep these per key",
      parseCount,
    )
    .optionsGroup("Options:");
}

export function policyOf(flags: PolicyFlags): PlanPolicy {
  const { allowDelete = [], conflicts, takeover = [], keepRevisions } = flags;
  return { allowDelete, conflicts: { force: conflicts === "force", takeover }, keepRevisions };
}

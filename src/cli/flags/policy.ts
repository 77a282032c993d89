import { type Command, Option } from "commander";
import { parseCount, parseProtectedKinds, splitNames } from "../../inputs/parse.ts";
import { defaultRequest, type PlanningRequest } from "../../model/deployments/deploy-request.ts";
import type { PlanPolicy } from "../../model/plan/plan.ts";
import { type Stage, stages } from "../../model/sources/compilation.ts";

/**
 * The policy for a deployment. A preview has the same flags, so that it shows the deployment's real
 * effect.
 */
export interface PolicyFlags {
  readonly allowDelete?: readonly string[];
  readonly conflicts: "fail" | "force";
  readonly takeover?: readonly string[];
  readonly onlyStage?: Stage;
  readonly keepRevisions?: number;
}

/** The flags of a preview that its plan depends on. */
export interface PreviewFlags extends PolicyFlags {
  readonly adopt?: boolean;
}

export function withPolicyOptions(command: Command): Command {
  return command
    .optionsGroup("Safety:")
    .option(
      "--allow-delete <kinds>",
      "protected kinds that can be deleted, comma-separated; everything also allows an empty config",
      parseProtectedKinds,
    )
    .addOption(
      new Option(
        "--conflicts <policy>",
        "policy for declared fields that another field manager owns",
      )
        .choices(["fail", "force"])
        .default("fail", "fail"),
    )
    .option(
      "--takeover <managers>",
      "become the owner of all fields of these field managers, comma-separated; undeclared fields are removed",
      splitNames,
    )
    .addOption(
      new Option("--only-stage <stage>", "deploy only this stage (default: both)").choices(stages),
    )
    .option(
      "--keep-revisions <number>",
      "number of keepOnDelete objects to keep per key; deletes older unused ones (default: all)",
      parseCount,
    )
    .optionsGroup("Options:");
}

export function planPolicy(flags: PolicyFlags): PlanPolicy {
  const { allowDelete = [], conflicts, takeover = [], keepRevisions } = flags;
  return { allowDelete, conflicts: { force: conflicts === "force", takeover }, keepRevisions };
}

/** Returns the request of a preview, without permissions that only a run can use. */
export function previewRequest(flags: PreviewFlags): PlanningRequest {
  const { adopt = false, onlyStage } = flags;
  return { ...defaultRequest, policy: planPolicy(flags), adopt, onlyStage };
}

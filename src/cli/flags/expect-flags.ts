import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { parseDigest } from "../../inputs/parse.ts";
import type { ApprovedPlans } from "../../model/approval.ts";
import { UserError } from "../../model/problems/errors.ts";
import { expectDigest, parseExpectedPlan } from "../../report/plans/parse-expected-plan.ts";
import type { Shell } from "../shell.ts";

/** The flags that restrict the plan to execute. */
export interface ExpectFlags {
  readonly expectDigest?: string;
  readonly expectPlan?: string;
}

export function withExpectOptions(command: Command): Command {
  return command
    .option(
      "--expect-digest <digest>",
      "execute only the plan with this digest (default: any)",
      parseDigest,
    )
    .addOption(
      new Option(
        "--expect-plan <file>",
        "execute only operations of this plan from qvs diff --format json (default: any)",
      ).conflicts("expectDigest"),
    );
}

export async function readExpectedPlan(
  { expectDigest: digest, expectPlan: file }: ExpectFlags,
  shell: Shell,
): Promise<ApprovedPlans | undefined> {
  if (digest !== undefined) return expectDigest(digest);
  if (file === undefined) return undefined;
  const text = await readFile(resolve(shell.cwd(), file), "utf8").catch((error: Error) => {
    throw new UserError([
      {
        code: "invalid-approved-plan",
        where: [],
        what: `"${file}" can't be read`,
        facts: [{ label: "error", value: error.message }],
        fix: "Pass the file of an approved plan",
      },
    ]);
  });
  const plan = parseExpectedPlan(text, file);
  if (!plan.ok) throw new UserError(plan.problems);
  return plan.value;
}

import * as v from "valibot";
import type { Approval, ApprovalPolicy, ApprovedPlans } from "../../model/approval.ts";
import { codeLength, codePattern } from "../../model/problems/approval-codes.ts";
import type { FoundApproval } from "./approvals-of.ts";

/** What the pull requests of a push have approved, of all deployments: data that one job finds and hands to others. */
export interface FoundApprovals {
  readonly approved: readonly {
    readonly by: string;
    readonly deployments: readonly NamedApproval[];
  }[];
  /** Why there are not more, a sentence each. */
  readonly missing: readonly string[];
}

interface NamedApproval extends Approval {
  /** Of the deployment. */
  readonly name: string;
}

export function noApprovals(because: string): FoundApprovals {
  return { approved: [], missing: [because] };
}

export function together(found: readonly FoundApproval[]): FoundApprovals {
  return {
    approved: found.flatMap((each) =>
      "deployments" in each ? [{ by: each.by, deployments: named(each.deployments) }] : [],
    ),
    missing: found.flatMap((each) => ("missing" in each ? [each.missing] : [])),
  };
}

function named(approvals: ReadonlyMap<string, Approval>): readonly NamedApproval[] {
  return [...approvals].map(([name, approval]) => ({ name, ...approval }));
}

/** Those of one deployment. */
export function approvedPlansOf(
  { approved, missing }: FoundApprovals,
  deployment: string,
  policy: ApprovalPolicy,
): ApprovedPlans {
  const found = approved.map(({ by, deployments }) => ({
    by,
    approval: deployments.find(({ name }) => name === deployment),
  }));
  return {
    policy,
    approvals: found.flatMap(({ by, approval }) => {
      if (approval === undefined) return [];
      const { digest, operations } = approval;
      return [{ by, digest, operations }];
    }),
    missing: [
      ...missing,
      ...found
        .filter(({ approval }) => approval === undefined)
        .map(
          ({ by }) => `the comment of ${by} has no plan of ${deployment} that could be approved`,
        ),
    ],
  };
}

/** Linux gives a process no variable of more than 131,072 bytes, and an input is one. */
const mostBytes = 100_000;

/** For an output. The longest lists of operations are left out where there are too many: of those only the very same plan passes. */
export function writeFoundApprovals(found: FoundApprovals): string {
  const { approved, missing } = found;
  const all = approved.flatMap(({ deployments }) => deployments);
  const bare = write({ approved: approved.map((each) => listing(each, new Set())), missing });
  let room = mostBytes - Buffer.byteLength(bare);
  const listed = new Set<Approval>();
  for (const approval of all.toSorted((one, other) => sizeOf(one) - sizeOf(other))) {
    room -= sizeOf(approval);
    if (room >= 0) listed.add(approval);
  }
  if (Buffer.byteLength(bare) > mostBytes) return write(noApprovals(tooMany));
  return write({ approved: approved.map((each) => listing(each, listed)), missing });
}

const tooMany = "the approved plans of this push are too many to be handed from job to job";

function write(found: FoundApprovals): string {
  return JSON.stringify({ version, ...found });
}

/** Only `listed` keep their operations. */
function listing(
  { by, deployments }: FoundApprovals["approved"][number],
  listed: ReadonlySet<Approval>,
): FoundApprovals["approved"][number] {
  return {
    by,
    deployments: deployments.map((each) =>
      listed.has(each) ? each : { name: each.name, digest: each.digest },
    ),
  };
}

/** As JSON. */
function sizeOf({ operations = [] }: Approval): number {
  return operations.length * (codeLength + 3) + 20;
}

const version = 1;

/** What `writeFoundApprovals` has written; undefined for anything else. */
export function readFoundApprovals(text: string): FoundApprovals | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? parsed.output : undefined;
}

const shape = v.object({
  version: v.literal(version),
  approved: v.array(
    v.object({
      by: v.string(),
      deployments: v.array(
        v.object({
          name: v.string(),
          digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
          operations: v.optional(v.array(v.pipe(v.string(), v.regex(codePattern)))),
        }),
      ),
    }),
  ),
  missing: v.array(v.string()),
});

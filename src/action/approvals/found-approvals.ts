import * as v from "valibot";
import {
  type Approval,
  type ApprovalPolicy,
  type ApprovedPlans,
  codeLength,
  codePattern,
} from "../../model/approval.ts";
import type { FoundApproval } from "./pull-request-approval.ts";

/** The approvals of all deployments in a push. One job finds them and passes them to other jobs. */
export interface FoundApprovals {
  readonly approved: readonly {
    readonly by: string;
    readonly deployments: readonly NamedApproval[];
  }[];
  /** The reasons why approvals are missing, one sentence each. */
  readonly missing: readonly string[];
}

interface NamedApproval extends Approval {
  /** The name of the deployment. */
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

/** Returns the approved plans of one deployment. */
export function selectApprovedPlans(
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
          ({ by }) =>
            `the comment on ${by} contains no plan of ${deployment} that the merge could approve`,
        ),
    ],
  };
}

/**
 * The size limit of the output. Linux limits a process variable to 131,072 bytes, and an input is
 * passed in one.
 */
const maxBytes = 100_000;

/**
 * Serializes the approvals for an output.
 * If they are too large, the longest lists of operations are left out. Those deployments then need
 * exactly the approved plan.
 */
export function writeFoundApprovals(found: FoundApprovals): string {
  const { approved, missing } = found;
  const all = approved.flatMap(({ deployments }) => deployments);
  const bare = write({ approved: approved.map((each) => listing(each, new Set())), missing });
  let room = maxBytes - Buffer.byteLength(bare);
  const listed = new Set<Approval>();
  for (const approval of all.toSorted(
    (one, other) => operationsSize(one) - operationsSize(other),
  )) {
    room -= operationsSize(approval);
    if (room >= 0) listed.add(approval);
  }
  if (Buffer.byteLength(bare) > maxBytes) return write(noApprovals(tooMany));
  return write({ approved: approved.map((each) => listing(each, listed)), missing });
}

const tooMany = "the approved plans of this push are too large to pass from job to job";

function write(found: FoundApprovals): string {
  return JSON.stringify({ version, ...found });
}

/** Returns the approvals with the operations of the `listed` ones only. */
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

/** Estimates the size of the operations as JSON. */
function operationsSize({ operations = [] }: Approval): number {
  return operations.length * (codeLength + 3) + 20;
}

const version = 1;

/** Parses the output of `writeFoundApprovals`; returns undefined for any other text. */
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

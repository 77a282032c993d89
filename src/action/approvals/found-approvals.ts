import * as v from "valibot";
import type { Approval, ApprovalPolicy, ApprovedPlans } from "../../model/approval.ts";
import { codePattern } from "../../model/approval-codes.ts";
import type { FoundApproval } from "./approvals-of.ts";

/** What the pull requests of a push have approved, of all deployments: data that one job finds and hands to others. */
export interface FoundApprovals {
  readonly approved: readonly {
    readonly by: string;
    readonly deployments: Readonly<Record<string, Approval>>;
  }[];
  /** Why there are not more, a sentence each. */
  readonly missing: readonly string[];
}

export function noApprovals(because: string): FoundApprovals {
  return { approved: [], missing: [because] };
}

export function together(found: readonly FoundApproval[]): FoundApprovals {
  return {
    approved: found.flatMap((each) =>
      "deployments" in each
        ? [{ by: each.by, deployments: Object.fromEntries(each.deployments) }]
        : [],
    ),
    missing: found.flatMap((each) => ("missing" in each ? [each.missing] : [])),
  };
}

/** Those of one deployment. */
export function approvedPlansOf(
  { approved, missing }: FoundApprovals,
  deployment: string,
  policy: ApprovalPolicy,
): ApprovedPlans {
  const found = approved.map(({ by, deployments }) => ({
    by,
    approval: new Map(Object.entries(deployments)).get(deployment),
  }));
  return {
    policy,
    approvals: found.flatMap(({ by, approval }) =>
      approval === undefined ? [] : { by, ...approval },
    ),
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

/** For an output. The longest lists of operations are left out where there are too many, and then the plans themselves. */
export function writeFoundApprovals({ approved, missing }: FoundApprovals): string {
  const entries = approved.flatMap(({ by, deployments }) =>
    Object.entries(deployments).map(([name, approval]) => ({ by, name, approval })),
  );
  const smallestFirst = entries.toSorted((a, b) => sizeOf(a.approval) - sizeOf(b.approval));
  const kept = new Set<object>();
  let room = mostBytes - Buffer.byteLength(JSON.stringify(missing)) - 100 * (approved.length + 1);
  for (const { name, approval } of smallestFirst) {
    room -= sizeOf(approval) + 3 * Buffer.byteLength(name) + 100;
    if (room >= 0) kept.add(approval);
  }
  const written = approved.map(({ by, deployments }) => ({
    by,
    deployments: Object.fromEntries(
      Object.entries(deployments).map(([name, approval]) => [
        name,
        kept.has(approval) ? approval : { digest: approval.digest },
      ]),
    ),
  }));
  const text = JSON.stringify({ version, approved: written, missing });
  if (Buffer.byteLength(text) <= mostBytes) return text;
  return JSON.stringify({
    version,
    approved: [],
    missing: ["the approved plans of this push are too many to be handed from job to job"],
  });
}

function sizeOf({ operations = [] }: Approval): number {
  return operations.length * (codeSize + 3);
}

const codeSize = 18;
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
      deployments: v.record(
        v.string(),
        v.object({
          digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
          operations: v.optional(v.array(v.pipe(v.string(), v.regex(codePattern)))),
        }),
      ),
    }),
  ),
  missing: v.array(v.string()),
});

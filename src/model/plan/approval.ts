import type { CapabilityAnswer } from "../sources/compilation.ts";
import type { Plan, PlannedOperation } from "./plan.ts";

/**
 * The approval of a plan: its digest and, if there was room, the codes of its operations. It
 * contains no names or values, so qvs can store it in a hidden line of a comment and in files.
 */
export interface Approval {
  /** The SHA-256 in hex. A user can enter only its first characters. */
  readonly digest: string;
  /** The codes that `toApproval` makes; undefined if only the digest is known. */
  readonly operations?: readonly string[] | undefined;
}

/** An approval with the place where it was given. */
interface LocatedApproval extends Approval {
  /** The place, e.g. `#12`; empty if a user gave the approval to this run. */
  readonly by: string;
}

/** The reaction to a plan that isn't approved. */
export type ApprovalPolicy = "require" | "warn";

/** The approvals of the plans of one deployment. */
export interface ApprovedPlans {
  readonly policy: ApprovalPolicy;
  readonly approvals: readonly LocatedApproval[];
  /**
   * The reasons for missing approvals, one sentence each: an edited comment, a push without a pull
   * request.
   */
  readonly missing: readonly string[];
  /** The operations that an approved plan shows, if more than their codes is known. */
  readonly shown?: readonly ShownOperation[] | undefined;
  /** The answers of the cluster that an approved plan depends on, if they are known. */
  readonly answers?: readonly CapabilityAnswer[] | undefined;
}

/** One operation of a plan, as a preview shows it. */
export interface ShownOperation {
  readonly action: string;
  readonly name: string;
  readonly diff: readonly string[];
}

/** The result of comparing a plan with the approvals. Only `other` isn't covered by them. */
export type ApprovalComparison =
  /** The plan was approved, or it does nothing. `by` lists where it was approved. */
  | { readonly type: "same"; readonly by: readonly string[] }
  | {
      /**
       * `less`: the plan is a part of the approved one. `drift`: in addition, it restores only
       * objects that the current release declares.
       */
      readonly type: "less" | "drift";
      readonly by: readonly string[];
      /** The codes of approved operations that the plan no longer contains. */
      readonly absent: readonly string[];
      readonly restored: readonly PlannedOperation[];
    }
  | {
      readonly type: "other";
      readonly by: readonly string[];
      readonly absent: readonly string[];
      /**
       * The operations without approval, each with the code that was approved for the same object.
       */
      readonly additional: readonly UnapprovedOperation[];
      /** Approvals with only a digest. They cover only a plan with the same digest. */
      readonly digestsOnly: readonly LocatedApproval[];
    };

interface UnapprovedOperation {
  readonly operation: PlannedOperation;
  readonly approved: string | undefined;
}

/** Returns the content of an approval of this plan. */
export function toApproval(plan: Pick<Plan, "digest" | "operations">): Approval {
  const { digest, operations } = plan;
  return {
    digest,
    ...(operations === undefined ? {} : { operations: operations.map(operationCode) }),
  };
}

/** The letter of each action. It is a part of the code, so that qvs can describe a difference. */
const actionLetters: Readonly<Record<PlannedOperation["action"], string>> = {
  create: "c",
  update: "u",
  replace: "r",
  delete: "d",
  hook: "h",
  "known after deploy": "k",
};

/**
 * Returns the code of an operation: 18 characters.
 * It consists of the letter of the action, 32 bits for the object and 66 bits for the content. Two
 * operations are equal if their content bits are. The object bits serve only for messages.
 */
export function operationCode({ key, action, digest }: PlannedOperation): string {
  return `${actionLetters[action]}${objectCode(key)}${shortenDigest(digest, contentCharacters)}`;
}

const objectCharacters = 6;
const contentCharacters = 11;

export const codeLength = 1 + objectCharacters + contentCharacters;
export const codePattern = new RegExp(
  `^[${Object.values(actionLetters).join("")}][\\w-]{${codeLength - 1}}$`,
);

/** Reports whether the code belongs to the object with this key. */
export function codeMatchesKey(code: string, key: string): boolean {
  return code.slice(1, 1 + objectCharacters) === objectCode(key);
}

export function codeAction(code: string): PlannedOperation["action"] {
  const found = Object.entries(actionLetters).find(([, letter]) => letter === code[0]);
  return (found?.[0] ?? "update") as PlannedOperation["action"];
}

/**
 * Returns the FNV-1a hash (32 bits) of a key. Only messages depend on it, so it needs no secure
 * hash.
 */
function objectCode(key: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(hash);
  return bytes.toString("base64url");
}

function shortenDigest(digest: string, characters: number): string {
  return Buffer.from(digest, "hex").toString("base64url").slice(0, characters);
}

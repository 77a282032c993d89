import type { Approval } from "../approval.ts";
import type { Plan, PlannedOperation } from "../plan.ts";

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

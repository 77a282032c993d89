import type { Approval } from "../approval.ts";
import type { Plan, PlannedOperation } from "../plan.ts";

/** What an approval of this plan holds. */
export function approvalOf(plan: Pick<Plan, "digest" | "operations">): Approval {
  const { digest, operations } = plan;
  return { digest, ...(operations === undefined ? {} : { operations: operations.map(codeOf) }) };
}

/** A letter for each action. It is a part of the code, so that a difference can be put into words. */
const letters: Readonly<Record<PlannedOperation["action"], string>> = {
  create: "c",
  update: "u",
  replace: "r",
  delete: "d",
  "known after deploy": "k",
};

/**
 * 18 characters: the letter of the action, 32 bits that say which object in words only, and 66 bits of what is done, by which
 * two operations are the same.
 */
export function codeOf({ key, action, digest }: PlannedOperation): string {
  return `${letters[action]}${objectCode(key)}${shortened(digest, meaningCharacters)}`;
}

const objectCharacters = 6;
const meaningCharacters = 11;

export const codeLength = 1 + objectCharacters + meaningCharacters;
export const codePattern = new RegExp(
  `^[${Object.values(letters).join("")}][\\w-]{${codeLength - 1}}$`,
);

/** What an approved operation was about, as far as that can be told of an object that is known. */
export function isAbout(code: string, key: string): boolean {
  return code.slice(1, 1 + objectCharacters) === objectCode(key);
}

export function actionIn(code: string): PlannedOperation["action"] {
  const found = Object.entries(letters).find(([, letter]) => letter === code[0]);
  return (found?.[0] ?? "update") as PlannedOperation["action"];
}

/** FNV-1a, 32 bits: only words depend on it, and it needs no hash from outside. */
function objectCode(key: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(hash);
  return bytes.toString("base64url");
}

function shortened(digest: string, characters: number): string {
  return Buffer.from(digest, "hex").toString("base64url").slice(0, characters);
}

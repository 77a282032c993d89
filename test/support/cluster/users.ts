import { randomBytes } from "node:crypto";

/**
 * Who may log in, and the groups they are in. Every program has a user of its own, so that the audit log tells apart
 * what each of them wrote. `admin` is for the program under test, `kubectl` for the tests themselves.
 */
const groups = {
  admin: "system:masters",
  kubectl: "system:masters",
  controllers: "system:masters",
  scheduler: "system:masters",
  kwok: "system:masters",
  rollouts: "system:masters",
  /** May read everything but Secrets. */
  viewer: "viewers",
  /** These may do nothing until a test binds a role to them. */
  deployer: "",
  previewer: "",
  nobody: "",
  /** May do nothing, ever. */
  stranger: "",
} as const;

export type User = keyof typeof groups;

const users = Object.keys(groups).filter((name): name is User => name in groups);

/** A secret for each user, new for each control plane. */
export type Tokens = ReadonlyMap<User, string>;

export function newTokens(): Tokens {
  return new Map(users.map((user) => [user, randomBytes(16).toString("hex")]));
}

/** The apiserver's token file: token, user, uid, groups. */
export function tokenFile(tokens: Tokens): string {
  return Array.from(tokens, ([user, token]) => `${token},${user},${user},"${groups[user]}"\n`).join(
    "",
  );
}

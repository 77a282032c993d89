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
} as const;

export type User = keyof typeof groups;

export const users: readonly User[] = Object.keys(groups).filter(isUser);

export function isUser(name: string): name is User {
  return name in groups;
}

/** A secret for each user, new for each control plane. */
export type Tokens = Readonly<Record<string, string>>;

export function newTokens(): Tokens {
  return Object.fromEntries(users.map((user) => [user, randomBytes(16).toString("hex")]));
}

/** The apiserver's token file: token, user, uid, groups. */
export function tokenFile(tokens: Tokens): string {
  return users.map((user) => `${tokens[user]},${user},${user},"${groups[user]}"\n`).join("");
}

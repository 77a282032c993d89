import { randomBytes } from "node:crypto";

/**
 * The users and their groups. Every program has its own user, so that the audit log shows the
 * writes of each. `admin` is for the tested program, `kubectl` for the tests themselves.
 */
const groups = {
  admin: "system:masters",
  kubectl: "system:masters",
  controllers: "system:masters",
  scheduler: "system:masters",
  kwok: "system:masters",
  rollouts: "system:masters",
  /** The programs of a real node. */
  kubelet: "system:masters",
  "kube-proxy": "system:masters",
  /** Can read everything except Secrets. */
  viewer: "viewers",
  /** Have no permissions until a test binds a role to them. */
  deployer: "",
  previewer: "",
  nobody: "",
  /** Has the cluster-wide roles of preview environments, with which other tests would fail. */
  environments: "",
  /** Never has any permission. */
  stranger: "",
} as const;

export type User = keyof typeof groups;

const users = Object.keys(groups).filter((name): name is User => name in groups);

/** A secret for each user. Each control plane has new ones. */
export type Tokens = ReadonlyMap<User, string>;

export function newTokens(): Tokens {
  return new Map(users.map((user) => [user, randomBytes(16).toString("hex")]));
}

/** Returns the API server's token file: token, user, UID, groups. */
export function tokenFile(tokens: Tokens): string {
  return Array.from(tokens, ([user, token]) => `${token},${user},${user},"${groups[user]}"\n`).join(
    "",
  );
}

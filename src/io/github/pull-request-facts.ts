import * as v from "valibot";
import type { Environment } from "../environment.ts";
import type { RepositoryName, RestClient } from "./client.ts";
import { readPayload } from "./read-payload.ts";

/** The facts that decide whether a pull request gets an environment. */
export interface PullRequestFacts {
  readonly number: number;
  readonly isOpen: boolean;
  /** The head commit. */
  readonly head: string;
  /**
   * True if the branch is in the base repository, by the ids of both. A name can be taken over, and
   * a deleted repository was a fork.
   */
  readonly isSameRepository: boolean;
  /** The login of the author; undefined for a deleted account. */
  readonly author: string | undefined;
  readonly baseBranch: string;
  readonly labels: readonly string[];
  /** The id of the base repository; undefined if GitHub doesn't name it. */
  readonly repositoryId: number | undefined;
}

const side = v.object({
  ref: v.string(),
  sha: v.optional(v.string(), ""),
  repo: v.nullish(v.object({ id: v.optional(v.number()) })),
});
const pull = v.object({
  number: v.number(),
  state: v.optional(v.string(), "open"),
  user: v.nullish(v.object({ login: v.string() })),
  base: side,
  head: side,
  labels: v.optional(v.array(v.object({ name: v.optional(v.string(), "") })), []),
});
const payload = v.object({
  action: v.optional(v.string()),
  pull_request: pull,
  repository: v.nullish(v.object({ default_branch: v.optional(v.string()) })),
});

/** The facts in an event, with the default branch of the repository. */
export interface EventFacts extends PullRequestFacts {
  readonly defaultBranch: string | undefined;
}

/** Reads the facts from the event of a pull request. */
export function readEventFacts(env: Environment): EventFacts {
  const { action, pull_request, repository } = readPayload(env, payload);
  const facts = { ...toFacts(pull_request), defaultBranch: repository?.default_branch };
  return action === "closed" ? { ...facts, isOpen: false } : facts;
}

/** Asks GitHub for the facts now. */
export async function readCurrentFacts(
  { rest }: RestClient,
  repository: RepositoryName,
  number: number,
): Promise<PullRequestFacts> {
  const { data } = await rest.pulls.get({ ...repository, pull_number: number });
  return toFacts(v.parse(pull, data));
}

function toFacts({ number, state, user, base, head, labels }: v.InferOutput<typeof pull>) {
  const id = base.repo?.id;
  return {
    number,
    isOpen: state === "open",
    head: head.sha,
    isSameRepository: id !== undefined && id === head.repo?.id,
    author: user?.login,
    baseBranch: base.ref,
    labels: labels.map(({ name }) => name),
    repositoryId: id,
  };
}

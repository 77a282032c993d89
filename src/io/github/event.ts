import { readFileSync } from "node:fs";
import * as v from "valibot";
import { userError } from "../../errors.ts";

/** Why the workflow runs, as far as it decides what to do. */
export type GitHubEvent =
  | PullRequestEvent
  | PushEvent
  | { readonly type: "workflow_dispatch"; readonly inputs: Readonly<Record<string, string>> }
  | { readonly type: "other"; readonly name: string };

export interface PullRequestEvent {
  readonly type: "pull_request";
  readonly number: number;
  /** Tip of the target branch when the event happened. */
  readonly baseSha: string;
  /** Tip of the pull request's own branch; what is checked out by default is its merge with the base. */
  readonly headSha: string;
  /** Its workflow runs have no secrets and a read-only token: forks, and Dependabot. */
  readonly fromFork: boolean;
}

interface PushEvent {
  readonly type: "push";
  /** All zeros when the branch is new. */
  readonly before: string;
  readonly after: string;
  readonly ref: string;
  readonly defaultBranch: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const side = v.object({
  sha: v.string(),
  repo: v.nullable(v.object({ full_name: v.string() })),
});
const pullRequestPayload = v.object({
  pull_request: v.object({ number: v.number(), base: side, head: side }),
});
const pushPayload = v.object({
  before: v.string(),
  after: v.string(),
  ref: v.string(),
  repository: v.object({ default_branch: v.string() }),
});
const input = v.union([v.string(), v.boolean(), v.number(), v.null()]);
const dispatchPayload = v.object({ inputs: v.nullish(v.record(v.string(), input)) });

/** Reads `GITHUB_EVENT_NAME` and the payload at `GITHUB_EVENT_PATH`. */
export function readEvent(env: Environment): GitHubEvent {
  const name = env.GITHUB_EVENT_NAME ?? "";
  switch (name) {
    case "pull_request":
      return pullRequestEvent(payload(env, pullRequestPayload), env);
    case "push":
      return pushEvent(payload(env, pushPayload));
    case "workflow_dispatch":
      return { type: "workflow_dispatch", inputs: inputsOf(payload(env, dispatchPayload)) };
    default:
      return { type: "other", name };
  }
}

function pullRequestEvent(
  { pull_request: { number, base, head } }: v.InferOutput<typeof pullRequestPayload>,
  env: Environment,
): PullRequestEvent {
  const isFork = head.repo?.full_name !== base.repo?.full_name;
  return {
    type: "pull_request",
    number,
    baseSha: base.sha,
    headSha: head.sha,
    fromFork: isFork || env.GITHUB_ACTOR === "dependabot[bot]",
  };
}

function pushEvent(pushed: v.InferOutput<typeof pushPayload>): PushEvent {
  const { before, after, ref, repository } = pushed;
  return { type: "push", before, after, ref, defaultBranch: repository.default_branch };
}

/** Empty inputs are those that nobody filled in. */
function inputsOf({ inputs }: v.InferOutput<typeof dispatchPayload>): Record<string, string> {
  const given = Object.entries(inputs ?? {}).map(([key, value]) => [key, String(value ?? "")]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

function payload<S extends v.GenericSchema>(env: Environment, schema: S): v.InferOutput<S> {
  const path = env.GITHUB_EVENT_PATH ?? "";
  const parsed = v.safeParse(schema, readJson(path));
  if (parsed.success) return parsed.output;
  const field = v.getDotPath(parsed.issues[0]) ?? "payload";
  throw userError(
    `The ${env.GITHUB_EVENT_NAME} event at "${path}" has no usable ${field}`,
    "Run the action in a workflow that GitHub started for this event",
  );
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

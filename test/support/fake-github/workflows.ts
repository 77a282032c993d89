import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";

/** A run of a workflow. */
export interface StoredRun {
  readonly id: number;
  readonly workflow: string;
  readonly commit: string;
  /** The branch and its repository. Default: those of the open pull request with the commit. */
  readonly branch?: string;
  readonly from?: string;
  status: "completed" | "in_progress";
  /** The number of attempts. */
  attempts: number;
}

/** A workflow that was started with inputs. */
export interface Dispatch {
  readonly workflow: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
}

const notFound: Answer = { status: 404, body: { message: "Not Found" } };

export function getPermission({ state }: FakeServer, [, login = ""]: RegExpExecArray): Answer {
  const permission = state.collaborators.get(decodeURIComponent(login));
  if (permission === undefined) return notFound;
  return { status: 200, body: { permission, role_name: permission } };
}

export function createReaction(
  { state, login }: FakeServer,
  [, comment]: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const { content } = body as { readonly content: string };
  state.reactions.push(`${comment} ${content}`);
  return { status: 201, body: { id: state.newId(), content, user: { login } } };
}

export function listRuns(
  { state, apiUrl }: FakeServer,
  [, workflow]: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const all = state.runs.filter((run) => run.workflow === workflow);
  if (all.length === 0 && !state.workflows.has(workflow ?? "")) return notFound;
  const found = all.filter(({ commit }) => commit === url.searchParams.get("head_sha"));
  const runs = found.toReversed().map(({ id, status, commit, ...run }) => {
    const pull = state.openPulls.find(({ head }) => head === commit);
    return {
      ...{ id, status, head_sha: commit, event: "pull_request" },
      head_branch: run.branch ?? pull?.branch,
      head_repository: { full_name: run.from ?? pull?.from },
      html_url: `${apiUrl}/runs/${id}`,
    };
  });
  return { status: 200, body: { total_count: runs.length, workflow_runs: runs } };
}

export function startRunAgain({ state }: FakeServer, [, id]: RegExpExecArray): Answer {
  const run = state.runs.find((each) => each.id === Number(id));
  if (run === undefined) return notFound;
  if (run.status !== "completed")
    return { status: 403, body: { message: "This workflow is already running" } };
  run.attempts += 1;
  run.status = "in_progress";
  return { status: 201, body: {} };
}

export function dispatchWorkflow(
  { state }: FakeServer,
  [, workflow = ""]: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  if (!state.workflows.has(workflow)) return notFound;
  const { ref, inputs = {} } = body as Omit<Dispatch, "workflow">;
  state.dispatches.push({ workflow, ref, inputs });
  return { status: 204 };
}

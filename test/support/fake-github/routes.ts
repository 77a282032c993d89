import { downloadArtifact, listArtifacts, storedArtifact } from "./artifacts.ts";
import type { ApiRequest } from "./contract.ts";
import { getBlob, getTree } from "./git-objects.ts";
import { createIssue, listIssues, updateIssue } from "./issues.ts";
import { addLabels, listLabels, removeLabel } from "./labels.ts";
import { getPull, listOpenPulls } from "./open-pulls.ts";
import { commentJson, deploymentJson, pullJson, referenceJson, statusJson } from "./payloads.ts";
import {
  isTooLong,
  type State,
  type StoredCheck,
  type StoredDeployment,
  type StoredStatus,
} from "./state.ts";
import {
  createReaction,
  dispatchWorkflow,
  getPermission,
  listRuns,
  startRunAgain,
} from "./workflows.ts";

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** An archive instead of a body. */
  readonly bytes?: Uint8Array;
  /** The `Link` header of a list with more pages. */
  readonly link?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface FakeServer {
  readonly apiUrl: string;
  readonly state: State;
  /** The owner of the token. */
  readonly login: string;
}

type Route = readonly [method: string, path: RegExp, answer: Handler];
type Handler = (server: FakeServer, match: RegExpExecArray, request: ApiRequest) => Answer;

const routes: readonly Route[] = [
  ["GET", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/, listComments],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/comments$/, createComment],
  ["PATCH", /^\/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/, updateComment],
  ["DELETE", /^\/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)$/, deleteComment],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels$/, listLabels],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels$/, addLabels],
  ["DELETE", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels\/([^/]+)$/, removeLabel],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/issues$/, listIssues],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/issues$/, createIssue],
  ["PATCH", /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)$/, updateIssue],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/commits\/(\w+)\/pulls$/, listPulls],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/git\/ref\/([^/]+)$/, getReference],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/git\/trees\/(\w+)$/, getTree],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/git\/blobs\/(\w+)$/, getBlob],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/deployments$/, listDeployments],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/deployments$/, createDeployment],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/deployments\/(\d+)\/statuses$/, listStatuses],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/deployments\/(\d+)\/statuses$/, createStatus],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/check-runs$/, createCheck],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/compare\/(\w+)\.\.\.(\w+)$/, compareCommits],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/pulls$/, listOpenPulls],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/pulls\/(\d+)$/, getPull],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/actions\/runs\/(\d+)\/artifacts$/, listArtifacts],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/actions\/artifacts\/(\d+)\/zip$/, downloadArtifact],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/collaborators\/([^/]+)\/permission$/, getPermission],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/issues\/comments\/(\d+)\/reactions$/, createReaction],
  ["GET", /^\/repos\/[^/]+\/[^/]+\/actions\/workflows\/([\w.-]+)\/runs$/, listRuns],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/actions\/runs\/(\d+)\/rerun$/, startRunAgain],
  ["POST", /^\/repos\/[^/]+\/[^/]+\/actions\/workflows\/([\w.-]+)\/dispatches$/, dispatchWorkflow],
  ["GET", /^\/stored\/(\d+)$/, storedArtifact],
];

const notFound: Answer = { status: 404, body: { message: "Not Found" } };
const tooLong: Answer = {
  status: 422,
  body: {
    message: "Validation Failed",
    errors: [{ message: "body is too long (maximum is 65536 characters)" }],
  },
};

export function answer(server: FakeServer, request: ApiRequest): Answer {
  for (const [method, path, handle] of routes) {
    const match = path.exec(request.url.pathname);
    if (method === request.method && match !== null) return handle(server, match, request);
  }
  return notFound;
}

function listComments(
  { apiUrl, state }: FakeServer,
  [, issue]: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const all = state.comments.filter((comment) => comment.issue === Number(issue));
  const size = Math.min(Number(url.searchParams.get("per_page") ?? 30), 100);
  const page = Number(url.searchParams.get("page") ?? 1);
  const next = `${apiUrl}${url.pathname}?per_page=${size}&page=${page + 1}`;
  return {
    status: 200,
    body: all.slice((page - 1) * size, page * size).map((comment) => commentJson(comment, apiUrl)),
    link: page * size < all.length ? `<${next}>; rel="next"` : undefined,
  };
}

function createComment(
  { apiUrl, state, login }: FakeServer,
  [, issue]: RegExpExecArray,
  request: ApiRequest,
): Answer {
  const body = bodyOf(request);
  if (isTooLong(body)) return tooLong;
  return { status: 201, body: commentJson(state.add(Number(issue), login, body), apiUrl) };
}

function updateComment(
  { apiUrl, state, login }: FakeServer,
  [, id]: RegExpExecArray,
  request: ApiRequest,
): Answer {
  const [comment, body] = [state.find(Number(id)), bodyOf(request)];
  if (comment === undefined) return notFound;
  if (isTooLong(body)) return tooLong;
  state.edit(comment, login, body);
  return { status: 200, body: commentJson(comment, apiUrl) };
}

function deleteComment({ state }: FakeServer, [, id]: RegExpExecArray): Answer {
  return state.remove(Number(id)) ? { status: 204 } : notFound;
}

function listPulls({ state }: FakeServer, [, commit]: RegExpExecArray): Answer {
  return {
    status: 200,
    body: state.pullsOf(commit ?? "").map(pullJson),
  };
}

function getReference({ apiUrl, state }: FakeServer, [, encoded = ""]: RegExpExecArray): Answer {
  const name = decodeURIComponent(encoded).replace(/^heads\//, "");
  const tip = state.branches.get(name)?.at(-1);
  return tip === undefined ? notFound : { status: 200, body: referenceJson(name, tip, apiUrl) };
}

/** Compares commits. For a commit that is on no branch, it reports only that it isn't behind. */
function compareCommits({ state }: FakeServer, [, base = "", head = ""]: RegExpExecArray): Answer {
  const push = state.pushes.find(
    ({ before, commits }) => before === base && commits.at(-1) === head,
  );
  if (push !== undefined) {
    return {
      status: 200,
      body: { status: "ahead", commits: push.commits.map((sha) => ({ sha })) },
    };
  }
  const branch = [...state.branches.values()].find((commits) => commits.at(-1) === base);
  if (branch === undefined) return notFound;
  return { status: 200, body: { status: branch.includes(head) ? "behind" : "diverged" } };
}

/** Lists deployments like GitHub: the newest first, 30 or `per_page` of them. */
function listDeployments(
  { apiUrl, state }: FakeServer,
  _: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const environment = url.searchParams.get("environment");
  const task = url.searchParams.get("task");
  const found = state.deployments.filter(
    (each) => each.environment === environment && (task === null || each.task === task),
  );
  const size = Number(url.searchParams.get("per_page") ?? 30);
  const body = found
    .toReversed()
    .slice(0, size)
    .map((each) => deploymentJson(each, apiUrl));
  return { status: 200, body };
}

function createDeployment(
  { apiUrl, state }: FakeServer,
  _: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const created = { ...(body as StoredDeployment), id: state.newId(), statuses: [] };
  state.deployments.push(created);
  return { status: 201, body: deploymentJson(created, apiUrl) };
}

function listStatuses({ apiUrl, state }: FakeServer, [, id]: RegExpExecArray): Answer {
  const found = state.deployments.find((each) => each.id === Number(id));
  if (found === undefined) return notFound;
  const body = found.statuses.toReversed().map((each) => statusJson(found, each, apiUrl));
  return { status: 200, body };
}

function createStatus(
  { apiUrl, state }: FakeServer,
  [, id]: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const found = state.deployments.find((each) => each.id === Number(id));
  if (found === undefined) return notFound;
  const created = { ...(body as StoredStatus), id: state.newId() };
  found.statuses.push(created);
  return { status: 201, body: statusJson(found, created, apiUrl) };
}

function createCheck({ state }: FakeServer, _: RegExpExecArray, { body }: ApiRequest): Answer {
  state.checks.push(body as StoredCheck);
  return { status: 201, body: { id: state.newId() } };
}

/** Returns the body, which the contract requires. */
function bodyOf({ body }: ApiRequest): string {
  return (body as { body: string }).body;
}

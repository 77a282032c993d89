import type { ApiRequest } from "./contract.ts";
import { pullJson } from "./payloads.ts";
import type { Answer, FakeServer } from "./routes.ts";
import type { State } from "./state.ts";

/** A pull request that is open, or was open just before. */
export interface OpenPull {
  readonly number: number;
  readonly branch: string;
  /** The repository as `owner/name`. null if it was deleted. */
  readonly from: string | null;
  head: string;
  state?: "open" | "closed";
  /** The login of the author. */
  readonly author?: string;
  readonly base?: string;
}

export function listOpenPulls(
  { state }: FakeServer,
  _: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const head = url.searchParams.get("head");
  const isAsked = ({ from, branch }: OpenPull) => `${from?.split("/")[0]}:${branch}` === head;
  const open = state.openPulls.filter((pull) => pull.state !== "closed" && isAsked(pull));
  return { status: 200, body: open.map(json) };
}

export function getPull({ state }: FakeServer, [, number]: RegExpExecArray): Answer {
  const found = state.openPulls.find((pull) => pull.number === Number(number));
  if (found !== undefined)
    return { status: 200, body: { ...json(found), labels: labelsOf(state, found.number) } };
  const known = state.pulls.find((pull) => pull.number === Number(number));
  if (known === undefined) return { status: 404, body: { message: "Not Found" } };
  return { status: 200, body: { ...pullJson(known), head: { sha: known.head } } };
}

/** The id of acme/shop. Every other repository has another one. */
export const repositoryId = 1296269;

function labelsOf(state: State, number: number): readonly object[] {
  return (state.labels.get(number) ?? []).map((name) => ({ name }));
}

function json({ number, branch, from, head, state = "open", author, base = "main" }: OpenPull) {
  return {
    number,
    state,
    user: { login: author ?? "dev" },
    head: { ref: branch, sha: head, repo: from === null ? null : repositoryJson(from) },
    base: { ref: base, repo: repositoryJson("acme/shop") },
  };
}

function repositoryJson(name: string) {
  return { full_name: name, id: name === "acme/shop" ? repositoryId : repositoryId + 1 };
}

import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";

/** An issue, or a pull request, which GitHub also lists as an issue. */
export interface StoredIssue {
  readonly number: number;
  readonly author: string;
  readonly title: string;
  body: string;
  state: "open" | "closed";
  reason: string | null;
  readonly isPull?: boolean;
}

/** Lists issues, the last changed first. */
export function listIssues(
  { apiUrl, state }: FakeServer,
  _: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const [wanted, creator] = [url.searchParams.get("state"), url.searchParams.get("creator")];
  const found = state.issues
    .filter((issue) => issue.state === wanted && (creator ?? issue.author) === issue.author)
    .toReversed();
  const size = Math.min(Number(url.searchParams.get("per_page") ?? 30), 100);
  const page = Number(url.searchParams.get("page") ?? 1);
  const query = new URLSearchParams(url.searchParams);
  query.set("page", String(page + 1));
  return {
    status: 200,
    body: found.slice((page - 1) * size, page * size).map((each) => json(each, apiUrl)),
    link:
      page * size < found.length ? `<${apiUrl}${url.pathname}?${query}>; rel="next"` : undefined,
  };
}

export function createIssue(
  { apiUrl, state, login }: FakeServer,
  _: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const given = body as { title: string; body: string };
  const number = state.newId();
  const created: StoredIssue = { ...given, number, author: login, state: "open", reason: null };
  state.issues.push(created);
  return { status: 201, body: json(created, apiUrl) };
}

export function updateIssue(
  { apiUrl, state }: FakeServer,
  [, number]: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const found = state.issues.find((issue) => issue.number === Number(number));
  if (found === undefined) return { status: 404, body: { message: "Not Found" } };
  const given = body as { body: string; state: "open" | "closed"; state_reason: string };
  Object.assign(found, { body: given.body, state: given.state, reason: given.state_reason });
  return { status: 200, body: json(found, apiUrl) };
}

function json({ number, title, body, state, reason, author, isPull }: StoredIssue, api: string) {
  const url = `${api}/repos/acme/shop/issues/${number}`;
  const pull = isPull ? { pull_request: { url } } : {};
  const html_url = `https://github.com/acme/shop/issues/${number}`;
  const about = { number, title, body, state, state_reason: reason, user: { login: author } };
  return { ...about, ...pull, url, html_url };
}

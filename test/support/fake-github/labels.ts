import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";

export function listLabels(server: FakeServer, [, number]: RegExpExecArray): Answer {
  return { status: 200, body: labelsJson(server, labelsOf(server, number)) };
}

/**
 * Adds labels to a pull request, and creates those that the repository doesn't have. Like GitHub,
 * it keeps the spelling of an existing label.
 */
export function addLabels(
  server: FakeServer,
  [, number]: RegExpExecArray,
  { body }: ApiRequest,
): Answer {
  const { labels } = body as { readonly labels: readonly string[] };
  const known = [...server.state.labels.values()].flat();
  const named = labels.map(
    (name) => known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name,
  );
  const all = [...new Set([...labelsOf(server, number), ...named])];
  server.state.labels.set(Number(number), all);
  return { status: 200, body: labelsJson(server, all) };
}

export function removeLabel(server: FakeServer, [, number, name]: RegExpExecArray): Answer {
  const current = labelsOf(server, number);
  const removed = decodeURIComponent(name ?? "");
  if (!current.includes(removed)) return { status: 404, body: { message: "Label does not exist" } };
  const left = current.filter((each) => each !== removed);
  server.state.labels.set(Number(number), left);
  return { status: 200, body: labelsJson(server, left) };
}

function labelsOf({ state }: FakeServer, number: string | undefined): readonly string[] {
  return state.labels.get(Number(number)) ?? [];
}

function labelsJson({ apiUrl }: FakeServer, names: readonly string[]): readonly object[] {
  return names.map((name, index) => ({
    id: index + 1,
    node_id: `LA_${index + 1}`,
    url: `${apiUrl}/repos/acme/shop/labels/${encodeURIComponent(name)}`,
    name,
    description: null,
    color: "ededed",
    default: false,
  }));
}

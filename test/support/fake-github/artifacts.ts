import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";

/** An artifact that a run uploaded. */
export interface StoredArtifact {
  readonly id: number;
  readonly run: number;
  readonly name: string;
  readonly zip: Uint8Array;
  /** The size that GitHub reports. Default: the size of the archive. */
  readonly size?: number;
  readonly expired?: boolean;
}

export function listArtifacts(
  { apiUrl, state }: FakeServer,
  [, run]: RegExpExecArray,
  { url }: ApiRequest,
): Answer {
  const all = state.artifacts.filter((artifact) => artifact.run === Number(run));
  const size = Math.min(Number(url.searchParams.get("per_page") ?? 30), 100);
  const page = Number(url.searchParams.get("page") ?? 1);
  const artifacts = all.slice((page - 1) * size, page * size);
  const body = { total_count: all.length, artifacts: artifacts.map((it) => json(it, apiUrl)) };
  return { status: 200, body };
}

function json({ id, name, zip, size = zip.length, expired = false }: StoredArtifact, api: string) {
  const url = `${api}/repos/acme/shop/actions/artifacts/${id}`;
  const time = "2026-01-01T00:00:00Z";
  return {
    ...{ id, node_id: `A_${id}`, name, size_in_bytes: size, url, expired },
    archive_download_url: `${url}/zip`,
    ...{ created_at: time, expires_at: time, updated_at: time },
  };
}

/** Answers with a redirect to another host, like GitHub. Its URL is a secret for one minute. */
export function downloadArtifact({ apiUrl, state }: FakeServer, [, id]: RegExpExecArray): Answer {
  const found = state.artifacts.some((artifact) => artifact.id === Number(id));
  if (!found) return { status: 404, body: { message: "Not Found" } };
  return { status: 302, headers: { location: `${apiUrl}/stored/${id}` } };
}

/** Answers as that other host. */
export function storedArtifact({ state }: FakeServer, [, id]: RegExpExecArray): Answer {
  const found = state.artifacts.find((artifact) => artifact.id === Number(id));
  return { status: 200, bytes: found?.zip ?? new Uint8Array() };
}

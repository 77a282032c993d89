import { userError } from "../../model/problems/errors.ts";

type Fetch = typeof fetch;

export interface FetchBounds {
  /**
   * The maximum size of one answer in bytes, unpacked. A page has at most 100 comments of 256 KiB.
   */
  readonly bytes: number;
  /** The maximum time of one answer in milliseconds, including its body. */
  readonly duration: number;
}

const defaultBounds: FetchBounds = { bytes: 64 << 20, duration: 120_000 };

/** Returns the same `fetch` with limits for the time and the size of an answer. */
export function boundedFetch(
  original: Fetch,
  { bytes, duration }: FetchBounds = defaultBounds,
): Fetch {
  return async (input, init = {}) => {
    const limit = AbortSignal.timeout(duration);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await original(input, { ...init, signal });
    if (response.body === null) return response;
    const body = await readWithin(response.body, bytes);
    const { status, statusText, headers, url } = response;
    return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", {
      value: url,
    });
  };
}

async function readWithin(body: ReadableStream<Uint8Array>, limit: number): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw userError(
        "github-api-error",
        `GitHub's API answered with more than ${limit / 1024 ** 2} MiB`,
        "Check what GITHUB_API_URL leads to",
      );
    }
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}

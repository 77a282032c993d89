import { userError } from "../../model/problems/errors.ts";

type Fetch = typeof fetch;

const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const mostRedirects = 5;

/**
 * The same `fetch`, whose writes arrive where a redirect leads: a repository that was renamed answers under its new address. `fetch` itself
 * makes a `GET` of a `POST` at 301 and 302, so that a comment would be lost without an error, while GitHub asks for the same request again
 * (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects). To another host nothing is written.
 */
export function followRedirects(original: Fetch): Fetch {
  return async (input, init = {}) => {
    if (init.method === undefined || init.method === "GET") return original(input, init);
    let url = input instanceof Request ? input.url : String(input);
    for (let followed = 0; followed <= mostRedirects; followed += 1) {
      const response = await original(url, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      if (!redirects.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin) throw leadsElsewhere("to another host");
      url = next.href;
    }
    throw leadsElsewhere("again and again");
  };
}

function leadsElsewhere(where: string) {
  return userError(
    "github-api-error",
    `GitHub's API redirects ${where}`,
    "Check what GITHUB_API_URL leads to",
  );
}

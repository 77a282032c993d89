import { at, isList, type Json, listAt, parseJson, textAt } from "../../model/json.ts";
import type { AuthorizedRequest, ChartReach, TokenCache } from "./authorized-get.ts";
import { authorizedGet } from "./authorized-get.ts";
import { type ChartOrigin, type FoundChart, maxChartBytes } from "./chart-origin.ts";
import { registryHost } from "./docker-config.ts";
import type { FetchFailure } from "./failure.ts";

/** Registries accept manifests of up to 4 MiB. */
const maxManifestBytes = 4 * 1024 * 1024;

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** https://helm.sh/docs/topics/registries/#helm-chart-manifest, and the type of early versions. */
const chartTypes: ReadonlySet<string> = new Set([
  "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
  "application/tar+gzip",
]);

/** The maximum number of pages of tags. Each has at most 1,000. */
const maxPages = 20;

/**
 * Opens a chart of an OCI registry, `oci://HOST/PATH/NAME`.
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
export function openOciChart(chart: string, reach: ChartReach): ChartOrigin {
  const [written = "", ...names] = chart.slice("oci://".length).split("/");
  const host = registryHost(written);
  const repository = names.join("/");
  const base = `${reach.insecure.has(host) ? "http" : "https"}://${host}/v2/${repository}`;
  const cache: TokenCache = {};
  const get = (path: string, request: Omit<AuthorizedRequest, "url" | "pull">) =>
    authorizedGet({ ...request, url: new URL(`${base}${path}`), pull: repository }, reach, cache);
  return {
    key: `oci/${host}/${repository}`,
    async find(version) {
      // A tag can't contain "+", so Helm replaces it.
      const path = `/manifests/${version.replaceAll("+", "_")}`;
      const answer = await get(path, { limit: maxManifestBytes, accept: manifestType });
      if ("failure" in answer) return answer;
      const digest = contentDigest(parseJson(answer.body.toString("utf8")));
      if (digest === undefined) return { failure: "invalid", host, detail: "It isn't a chart" };
      return foundBlob(digest, get);
    },
    versions: () => listTags(get, host),
  };
}

type Get = (
  path: string,
  request: Omit<AuthorizedRequest, "url" | "pull">,
) => ReturnType<typeof authorizedGet>;

function foundBlob(digest: string, get: Get): FoundChart {
  const download = async (wanted: string) => {
    const answer = await get(`/blobs/${wanted}`, { limit: maxChartBytes });
    return "failure" in answer ? answer : answer.body;
  };
  return { digest, download: () => download(digest), downloadEarlier: download };
}

/** Returns the digest of the packed chart in a manifest. */
function contentDigest(manifest: Json | undefined): string | undefined {
  const layers = listAt(manifest, "layers") ?? [];
  const layer = layers.find((each) => chartTypes.has(textAt(each, "mediaType") ?? ""));
  const digest = textAt(layer, "digest");
  return digest !== undefined && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}

/** Lists all tags. The last tag of a page leads to the next page, which no header can redirect. */
async function listTags(get: Get, host: string): Promise<readonly string[] | FetchFailure> {
  const tags: string[] = [];
  let last = "";
  for (let page = 0; page < maxPages; page += 1) {
    const from = last === "" ? "" : `&last=${encodeURIComponent(last)}`;
    const answer = await get(`/tags/list?n=1000${from}`, { limit: maxManifestBytes });
    if ("failure" in answer) return answer;
    const list = at(parseJson(answer.body.toString("utf8")), "tags");
    const found = isList(list) ? list.filter((tag) => typeof tag === "string") : [];
    tags.push(...found);
    const end = found.at(-1) ?? "";
    // Registries that ignore `last` send the same page again.
    if (answer.headers.link === undefined || end === "" || end === last)
      return tags.length > 0
        ? tags.map((tag) => tag.replaceAll("_", "+"))
        : { failure: "missing", host };
    last = end;
  }
  const detail = `It has more than ${maxPages} pages of tags`;
  return { failure: "too-large", host, detail };
}

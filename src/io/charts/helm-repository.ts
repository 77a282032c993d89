import { Composer } from "yaml";
import { type Json, listAt, parseJson, textAt } from "../../model/json.ts";
import { yamlTokens } from "../../model/text/yaml.ts";
import { once } from "../shared-work.ts";
import { authorizedGet, type ChartReach } from "./authorized-get.ts";
import { type ChartOrigin, maxChartBytes } from "./chart-origin.ts";
import type { FetchFailure } from "./failure.ts";

/** The largest public index has about 30 MB. */
const maxIndexBytes = 64 * 1024 * 1024;

/** The maximum size of the YAML of one chart. The largest known one has 4 MB. */
const maxYamlCharacters = 8 * 1024 * 1024;

/**
 * Opens a chart of a Helm repository, whose index.yaml lists all versions of all charts.
 * https://helm.sh/docs/topics/chart_repository/#the-index-file
 */
export function openRepositoryChart(
  repository: string,
  chart: string,
  reach: ChartReach,
): ChartOrigin {
  const base = new URL(`${repository.replace(/(?<!\/)\/+$/, "")}/`);
  const { host } = base;
  let loaded: Promise<readonly Json[] | FetchFailure> | undefined;
  const entries = () => {
    loaded ??= readEntries(base, chart, reach);
    return loaded;
  };
  return {
    key: `repository/${base.host}${base.pathname}${chart}`,
    async find(version) {
      const all = await entries();
      if ("failure" in all) return all;
      const entry = all.find((each) => textAt(each, "version") === version);
      if (entry === undefined) return missingVersion(all, version, host);
      const address = fileAddress(entry, base);
      if ("failure" in address) return address;
      return {
        digest: indexDigest(entry),
        download: async () => {
          const answer = await authorizedGet(
            // The index must not send the password of another host (CVE-2021-32690).
            { url: address, limit: maxChartBytes, sendsLogin: address.origin === base.origin },
            reach,
          );
          return "failure" in answer ? answer : answer.body;
        },
      };
    },
    async versions() {
      const all = await entries();
      if ("failure" in all) return all;
      const versions = all.map((each) => textAt(each, "version"));
      return versions.filter((version) => version !== undefined);
    },
  };
}

/** Suggests the same version with or without the "v" that some charts write. */
function missingVersion(entries: readonly Json[], version: string, host: string): FetchFailure {
  const near = version.startsWith("v") ? version.slice(1) : `v${version}`;
  const isThere = entries.some((entry) => textAt(entry, "version") === near);
  return { failure: "missing", host, ...(isThere ? { fix: `Write ${near}` } : {}) };
}

async function readEntries(
  base: URL,
  chart: string,
  reach: ChartReach,
): Promise<readonly Json[] | FetchFailure> {
  const url = new URL("index.yaml", base);
  const answer = await once(reach.indexes, [url.href], () =>
    authorizedGet({ url, limit: maxIndexBytes }, reach),
  );
  if ("failure" in answer) return answer;
  const index = parseIndex(answer.body.toString("utf8"), chart);
  const { host } = base;
  if (index === undefined)
    return { failure: "invalid", host, detail: "qvs can't read its index.yaml" };
  return listAt(index, "entries", chart) ?? { failure: "missing", host };
}

function parseIndex(text: string, chart: string): Json | undefined {
  if (text.trimStart().startsWith("{")) return parseJson(text);
  const part = text.length > maxYamlCharacters / 8 ? chartPart(text, chart) : text;
  if (part.length > maxYamlCharacters) return undefined;
  const read = yamlTokens(part);
  if ("tooDeepAt" in read) return undefined;
  try {
    const [document] = new Composer().compose(read.tokens);
    return document === undefined || document.errors.length > 0
      ? undefined
      : (document.toJS({ maxAliasCount: 100 }) as Json);
  } catch {
    return undefined;
  }
}

/**
 * Cuts one chart out of an index. The YAML of all charts would take a minute to parse. Helm writes
 * each name with two spaces, and its versions below it.
 */
function chartPart(text: string, chart: string): string {
  const lines = [`\n  ${chart}:\n`, `\n  ${chart}:\r\n`];
  const start = Math.max(...lines.map((line) => text.indexOf(line)));
  // An index of another form is parsed as a whole, if it isn't too large.
  if (start < 0) return text;
  let end = start + 1;
  do {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  } while (end < text.length && /^(?: {2}-| {3}|\r?\n)/.test(text.slice(end, end + 3)));
  return `entries:${text.slice(start, end)}`;
}

/** Returns the address of the packed chart. A relative one is below the repository. */
function fileAddress(entry: Json, base: URL): URL | FetchFailure {
  const [first] = listAt(entry, "urls") ?? [];
  const { host } = base;
  const url = typeof first === "string" ? URL.parse(first, base.href) : null;
  if (url === null)
    return { failure: "invalid", host, detail: "Its index names no file for this version" };
  if (url.protocol !== "oci:") return url;
  const [path] = url.pathname.split(":", 1);
  return {
    failure: "not-allowed",
    host,
    detail: "The repository has moved this chart to a registry",
    fix: `Write the chart as oci://${url.host}${path}, without repo`,
  };
}

/** Helm writes the digest without its algorithm. */
function indexDigest(entry: Json): string | undefined {
  const digest = textAt(entry, "digest")?.replace(/^sha256:/, "");
  return digest !== undefined && /^[0-9a-f]{64}$/.test(digest) ? `sha256:${digest}` : undefined;
}

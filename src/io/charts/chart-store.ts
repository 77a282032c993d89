import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldOf } from "../../model/json.ts";
import { failed, ok, type Result, type UnplacedProblem } from "../../model/problems/problem.ts";
import { chartTitle, type RemoteChart } from "../../model/remote-chart.ts";
import type { ChartLoginRule, ChartRequest, ChartStore, FetchedChart } from "../../ports/charts.ts";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { Environment } from "../environment.ts";
import {
  commitDirectory,
  discard,
  isCached,
  markResolved,
  markUsed,
  moveIntoPlace,
  pruneCache,
  wasResolved,
  withDraft,
} from "../git/modules/cache.ts";
import { limitConcurrency, once } from "../shared-work.ts";
import type { ChartReach } from "./authorized-get.ts";
import { type ChartOrigin, type FoundChart, maxChartBytes } from "./chart-origin.ts";
import { openDockerConfig, withholdLogins } from "./docker-config.ts";
import { explainFailure, type FetchFailure, isFailure } from "./failure.ts";
import { openRepositoryChart } from "./helm-repository.ts";
import { readInsecureRegistries } from "./insecure-registries.ts";
import { openOciChart } from "./oci-registry.ts";

export interface ChartStoreOptions {
  /** A directory that belongs to qvs and outlives the run. */
  readonly cache: string;
  readonly environment: Environment;
  readonly sent: SentSecrets;
  readonly signal: AbortSignal;
  /** Default: every chart. */
  readonly allowsLogin?: ChartLoginRule | undefined;
  /** The maximum time of one request in milliseconds. Default: two minutes. */
  readonly timeoutMs?: number;
  /** The maximum number of bytes that a run receives. Default: 512 MiB, as for a Git module. */
  readonly maxRunBytes?: number;
}

/** The number of simultaneous charts. Each can use its full limit of memory. */
const maxConcurrent = 2;

const fileName = "chart.tgz";

/**
 * Opens a store of charts, with the cache of the Git modules. A store lives for one run. It asks
 * about a version once, and remembers a failure.
 */
export function openChartStore(options: ChartStoreOptions): ChartStore {
  const { allowsLogin = async () => true } = options;
  const reach = openReach(options);
  // Requests without a login share no answer with those that had one.
  const withoutLogin = {
    ...reach,
    loginFor: withholdLogins(reach.loginFor),
    indexes: new Map(),
  };
  const obtained = new Map<string, Promise<string | UnplacedProblem>>();
  const inTurn = limitConcurrency(maxConcurrent);
  const origins = new Map<string, ChartOrigin>();
  const originOf = async (chart: Omit<RemoteChart, "version">) => {
    const mayLogIn = await allowsLogin(chart);
    const key = JSON.stringify([chart.repository, chart.chart]);
    const origin = origins.get(key) ?? openOrigin(chart, mayLogIn ? reach : withoutLogin);
    origins.set(key, origin);
    return { origin, mayLogIn };
  };
  return {
    async fetch(request) {
      const { chart, repository, version, locked } = request;
      const place = { ...(await originOf(request)), request, cache: options.cache };
      const digest = await once(obtained, [repository, chart, version, locked], () =>
        inTurn(() => obtainChart(place)),
      );
      if (typeof digest !== "string") return unplaced(digest);
      return inTurn(() => readCached(place, digest));
    },
    async versions(chart) {
      const { origin } = await originOf(chart);
      const found = await origin.versions();
      return isFailure(found)
        ? unplaced(explainFailure(`Chart ${chartTitle(chart)}`, found))
        : ok(found);
    },
  };
}

function openReach({
  environment,
  sent,
  signal,
  timeoutMs = 120_000,
  maxRunBytes = 512 * 1024 * 1024,
}: ChartStoreOptions): ChartReach {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]);
  return {
    proxyEnv: Object.fromEntries(names.map((name) => [name, fieldOf(environment, name)])),
    insecure: readInsecureRegistries(environment),
    loginFor: openDockerConfig(environment, sent),
    ...{ sent, signal, timeoutMs },
    indexes: new Map(),
    budget: { bytes: maxRunBytes },
  };
}

function openOrigin(
  { chart, repository }: Omit<RemoteChart, "version">,
  reach: ChartReach,
): ChartOrigin {
  return repository === undefined
    ? openOciChart(chart, reach)
    : openRepositoryChart(repository, chart, reach);
}

interface ChartPlace {
  readonly origin: ChartOrigin;
  /** False if the chart must be readable without a login, even if the cache contains it. */
  readonly mayLogIn: boolean;
  readonly request: ChartRequest;
  readonly cache: string;
}

/**
 * Returns the digest of a version, whose content is in the cache now unless it differs from the
 * locked one. It asks the origin only if necessary: a lockfile could name the content of another
 * chart in the cache.
 */
async function obtainChart(place: ChartPlace): Promise<string | UnplacedProblem> {
  const { origin, mayLogIn, request, cache } = place;
  const { locked, version } = request;
  if (locked !== undefined && mayLogIn) {
    const directory = directoryOf(place, locked);
    if ((await isCached(directory)) && (await wasResolved(directory, version))) {
      await markUsed(directory);
      return locked;
    }
  }
  try {
    const found = await origin.find(version);
    if (isFailure(found)) return explain(request, found);
    if (found.digest === undefined || locked === undefined || found.digest === locked)
      return await fetchIntoCache(place, found);
    await fetchEarlier(place, found, locked);
    return found.digest;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === "ABORT_ERR") throw error;
    return {
      code: "module-cache-unusable",
      what: `The cache ${cache} can't be written`,
      facts: [{ label: "error", value: code }],
      fix: "Set QVS_CACHE to a writable directory with enough free space",
    };
  }
}

async function fetchIntoCache(
  place: ChartPlace,
  found: FoundChart,
): Promise<string | UnplacedProblem> {
  const { mayLogIn, request } = place;
  const { version } = request;
  if (found.digest !== undefined && mayLogIn) {
    const known = directoryOf(place, found.digest);
    if (await isCached(known)) {
      await markResolved(known, version);
      await markUsed(known);
      return found.digest;
    }
  }
  const content = await found.download();
  if (isFailure(content)) return explain(request, content);
  const digest = digestOf(content);
  if (found.digest !== undefined && digest !== found.digest) return otherContentProblem(request);
  const directory = directoryOf(place, digest);
  await storeContent(place, directory, content);
  await markResolved(directory, version);
  await markUsed(directory);
  return digest;
}

/**
 * Fetches the locked content of a replaced version, for a comparison with an earlier commit. It
 * isn't marked as seen under the version, so each run reports the replacement.
 */
async function fetchEarlier(place: ChartPlace, found: FoundChart, locked: string): Promise<void> {
  const directory = directoryOf(place, locked);
  if (found.downloadEarlier === undefined || (await isCached(directory))) return;
  const content = await found.downloadEarlier(locked);
  if (isFailure(content) || digestOf(content) !== locked) return;
  await storeContent(place, directory, content);
}

async function storeContent(
  { cache }: ChartPlace,
  directory: string,
  content: Buffer,
): Promise<void> {
  await withDraft(cache, async (draft) => {
    await writeFile(join(draft, fileName), content);
    if (!(await isCached(directory))) await moveIntoPlace(draft, directory);
  });
  await pruneCache(cache);
}

/** Reads the wanted content from the cache, and checks its digest. */
async function readCached(place: ChartPlace, digest: string): Promise<Result<FetchedChart>> {
  const { request, cache } = place;
  const wanted = request.locked ?? digest;
  const directory = directoryOf(place, wanted);
  const isMissing = !(await isCached(directory));
  // An earlier use in this run can have deleted a damaged copy.
  if (isMissing && digest !== wanted) return ok({ digest, content: undefined });
  const content = await readBounded(join(directory, fileName));
  if (content !== undefined && digestOf(content) === wanted) return ok({ digest, content });
  await discard(cache, directory);
  return unplaced({
    code: "module-cache-unusable",
    what: `The cached copy of ${titleOf(request)} was damaged`,
    why: "qvs deleted the copy",
    fix: "Run again",
    otherwise: ["check the disk, if the error occurs again"],
  });
}

async function readBounded(file: string): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(file);
    return size > maxChartBytes ? undefined : await readFile(file);
  } catch {
    return undefined;
  }
}

function directoryOf({ origin, cache }: ChartPlace, digest: string): string {
  return commitDirectory(cache, `charts/${origin.key}`, digest.replace(/^sha256:/, ""));
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function explain(request: ChartRequest, failure: FetchFailure): UnplacedProblem {
  return explainFailure(`Chart ${titleOf(request)}`, failure);
}

function titleOf(request: RemoteChart): string {
  return `${chartTitle(request)} at "${request.version}"`;
}

function otherContentProblem(request: ChartRequest): UnplacedProblem {
  return {
    code: "chart-content-changed",
    what: `Chart ${titleOf(request)} has another content than its registry names`,
    fix: "Run again",
    otherwise: ["ask the owner of the registry"],
  };
}

/** Returns a failure without a place. The caller adds the place of the chart in the config. */
function unplaced<T>(problem: UnplacedProblem): Result<T> {
  return failed([{ ...problem, where: [] }]);
}

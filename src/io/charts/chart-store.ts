import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { catchProblems, UserError } from "../../model/problems/errors.ts";
import { failed, ok, type Result, type UnplacedProblem } from "../../model/problems/problem.ts";
import { chartTitle, type RemoteChart } from "../../model/sources/remote-chart.ts";
import type {
  ChartLoginRule,
  ChartStore,
  FetchedChart,
  RemoteChartRequest,
} from "../../ports/charts.ts";
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
import { proxyVariables } from "../http/guarded-connection.ts";
import { limitConcurrency, once } from "../shared-work.ts";
import type { ChartReach } from "./authorized-get.ts";
import { type ChartOrigin, type FoundChart, maxChartBytes } from "./chart-origin.ts";
import { openDockerConfig, readInsecureRegistries, withholdLogins } from "./docker-config.ts";
import { explainFailure, type FetchFailure, isFailure } from "./failure.ts";
import { openRepositoryChart } from "./helm-repository.ts";
import { type Deadline, limitTime, type TimeLimits } from "./http-get.ts";
import { openOciChart } from "./oci-registry.ts";

export interface ChartStoreOptions extends TimeLimits {
  /** A directory that belongs to qvs and outlives the run. */
  readonly cache: string;
  readonly environment: Environment;
  readonly sent: SentSecrets;
  readonly signal: AbortSignal;
  /** Default: every chart. */
  readonly allowsLogin?: ChartLoginRule | undefined;
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
  const inTime = limitTime(options);
  // Requests without a login share no answer with those that had one.
  const withoutLogin = {
    ...reach,
    loginFor: withholdLogins(reach.loginFor),
    indexes: new Map(),
  };
  const obtained = new Map<string, Promise<Result<string>>>();
  const listed = new Map<string, Promise<readonly string[] | FetchFailure>>();
  const inTurn = limitConcurrency(maxConcurrent);
  const originOf = async (chart: Omit<RemoteChart, "version">) => {
    const mayLogIn = await allowsLogin(chart);
    const shared = mayLogIn ? reach : withoutLogin;
    const open = (deadline: Deadline) => openOrigin(chart, { ...shared, deadline });
    return { open, mayLogIn };
  };
  return {
    async fetch(request) {
      const { chart, repository, version, locked } = request;
      const { open, mayLogIn } = await originOf(request);
      const run = <T>(work: (place: ChartPlace) => Promise<Result<T>>) =>
        inTurn(() =>
          inTime((deadline) => {
            const place = { origin: open(deadline), mayLogIn, request, cache: options.cache };
            return explainProblems(() => work(place));
          }),
        );
      const digest = await once(obtained, [repository, chart, version, locked], () =>
        run(obtainChart),
      );
      return digest.ok ? run((place) => readCached(place, digest.value)) : digest;
    },
    async versions(chart) {
      const { open } = await originOf(chart);
      const found = await once(listed, [chart.repository, chart.chart], () =>
        inTime((deadline) => open(deadline).versions()),
      );
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
  maxRunBytes = 512 * 1024 * 1024,
}: ChartStoreOptions): Omit<ChartReach, "deadline"> {
  return {
    proxyEnv: proxyVariables(environment),
    insecure: readInsecureRegistries(environment),
    loginFor: openDockerConfig(environment, sent),
    ...{ sent, signal },
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
  readonly request: RemoteChartRequest;
  readonly cache: string;
}

/**
 * Returns the digest of a version, whose content is in the cache now unless it differs from the
 * locked one. It asks the origin only if necessary: a lockfile could name the content of another
 * chart in the cache.
 */
async function obtainChart(place: ChartPlace): Promise<Result<string>> {
  const { origin, mayLogIn, request } = place;
  const { locked, version } = request;
  if (locked !== undefined && mayLogIn) {
    const directory = directoryOf(place, locked);
    const isKnown = await usingCache(place, async () => {
      if (!(await isCached(directory)) || !(await wasResolved(directory, version))) return false;
      await markUsed(directory);
      return true;
    });
    if (isKnown) return ok(locked);
  }
  const found = await origin.find(version);
  if (isFailure(found)) return unplaced(explain(request, found));
  if (found.digest === undefined || locked === undefined || found.digest === locked)
    return fetchIntoCache(place, found);
  await fetchEarlier(place, found, locked);
  return ok(found.digest);
}

/** Explains an error of the cache. Errors of the origin keep their message. */
async function usingCache<T>({ cache }: ChartPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UserError([
      {
        code: "module-cache-unusable",
        where: [],
        what: `The cache ${cache} can't be written`,
        facts: [{ label: "error", value: code }],
        fix: "Set QVS_CACHE to a writable directory with enough free space",
      },
    ]);
  }
}

async function explainProblems<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  const done = await catchProblems(work);
  return done.ok ? done.value : done;
}

async function fetchIntoCache(place: ChartPlace, found: FoundChart): Promise<Result<string>> {
  const { mayLogIn, request } = place;
  if (found.digest !== undefined && mayLogIn) {
    const known = directoryOf(place, found.digest);
    if (await isCached(known)) {
      await markKnown(place, known);
      return ok(found.digest);
    }
  }
  const content = await found.download();
  if (isFailure(content)) return unplaced(explain(request, content));
  const digest = digestOf(content);
  if (found.digest !== undefined && digest !== found.digest)
    return unplaced(otherContentProblem(request));
  const directory = directoryOf(place, digest);
  await storeContent(place, directory, content);
  await markKnown(place, directory);
  return ok(digest);
}

function markKnown(place: ChartPlace, directory: string): Promise<void> {
  return usingCache(place, async () => {
    await markResolved(directory, place.request.version);
    await markUsed(directory);
  });
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

function storeContent(place: ChartPlace, directory: string, content: Buffer): Promise<void> {
  const { cache } = place;
  return usingCache(place, async () => {
    await withDraft(cache, async (draft) => {
      await writeFile(join(draft, fileName), content);
      if (!(await isCached(directory))) await moveIntoPlace(draft, directory);
    });
    await pruneCache(cache);
  });
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

function explain(request: RemoteChartRequest, failure: FetchFailure): UnplacedProblem {
  return explainFailure(`Chart ${titleOf(request)}`, failure);
}

function titleOf(request: RemoteChart): string {
  return `${chartTitle(request)} at "${request.version}"`;
}

function otherContentProblem(request: RemoteChartRequest): UnplacedProblem {
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

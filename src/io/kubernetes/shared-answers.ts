import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import type { Cluster, SharedReads } from "../../ports/kubernetes.ts";

/**
 * The answers that the clusters of one run with the same credential share. Without them, a run with
 * a thousand deployments would ask the same a thousand times.
 */
export interface SharedAnswers {
  /** The served kinds and the version of the API server. */
  readonly discovery: AnswerStore;
  /** Returns reads through this cluster, which use the answers of earlier reads. */
  through(cluster: Pick<Cluster, "read" | "list" | "preferredKind" | "create">): SharedReads;
  /** Forgets the answers that a write to this path can have changed. */
  forgetAtWrite(path: string): void;
}

/** Answers by question. */
interface AnswerStore {
  /** Returns the answer to an earlier question, or asks. Equal keys have answers of one type. */
  share<T extends ApiResult<unknown>>(key: string, ask: () => Promise<T>): Promise<T>;
  forget(): void;
}

/**
 * The maximum age of an answer in milliseconds, from its request. Reading ahead of a preview has
 * the same limit.
 */
const maxAge = 10_000;

interface Kept {
  readonly since: number;
  readonly answer: Promise<ApiResult<unknown>>;
}

/** Creates the stores. `now` returns milliseconds of a clock that is never set back. */
export function createSharedAnswers(now: () => number = () => performance.now()): SharedAnswers {
  const facts = createStore(now);
  const discovery = createStore(now);
  const reviews = createStore(now);
  return {
    discovery,
    through: (cluster) => ({
      read: (address) =>
        facts.share(JSON.stringify(["read", address]), () => cluster.read(address)),
      list: (...query) =>
        facts.share(JSON.stringify(["list", ...query]), () => cluster.list(...query)),
      preferredKind: async (...kind) => {
        const ask = async () => keepAbsence(await cluster.preferredKind(...kind));
        const kept = await facts.share(JSON.stringify(["kind", ...kind]), ask);
        return kept.ok ? kept.value : kept;
      },
      review: (review) =>
        reviews.share(JSON.stringify(review), () => cluster.create(review, { dryRun: true })),
    }),
    forgetAtWrite: (path) => {
      facts.forget();
      if (definitions.test(path)) discovery.forget();
      if (roles.test(path)) reviews.forget();
    },
  };
}

/** Wraps the answer that a kind isn't served, which is no failure and is kept. */
function keepAbsence<T>(answer: ApiResult<T>): ApiResult<ApiResult<T>> {
  return answer.ok || answer.failure.reason === "unknown-kind"
    ? { ok: true, value: answer }
    : answer;
}

/** The groups whose objects decide which kinds exist, and which permissions. */
const definitions = /^\/apis\/api(?:extensions|registration)\.k8s\.io\//;
const roles = /^\/apis\/rbac\.authorization\.k8s\.io\//;

function createStore(now: () => number): AnswerStore {
  let answers = new Map<string, Kept>();
  return {
    share: <T extends ApiResult<unknown>>(key: string, ask: () => Promise<T>) => {
      const known = answers.get(key);
      if (known !== undefined && now() - known.since <= maxAge) return known.answer as Promise<T>;
      const store = answers;
      const since = now();
      const answer = ask();
      const kept = { since, answer };
      store.set(key, kept);
      const drop = () => {
        if (store.get(key) === kept) store.delete(key);
      };
      // The lists of a cluster can be large, and a run can preview many clusters.
      setTimeout(drop, maxAge).unref();
      // Another deployment asks again after a failure.
      answer.then(({ ok }) => ok || drop(), drop);
      return answer;
    },
    forget: () => {
      answers = new Map();
    },
  };
}

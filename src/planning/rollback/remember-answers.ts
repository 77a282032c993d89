import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import type { KeptObject } from "../../model/plan/deletion.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { type Cluster, type SharedReads, sharedReads } from "../../ports/kubernetes.ts";
import type { ListAnswer } from "../projected-cluster.ts";

/** The answers that a plan got from a cluster. */
export interface RememberedCluster {
  /** Asks the cluster and remembers each answer. */
  readonly asking: Cluster;
  /**
   * Gives the remembered answers. It asks the cluster only about further permissions, about
   * single objects that only the rollback names, and about Pods of the former templates.
   */
  readonly remembering: Cluster;
  /** Returns the number of questions so far to which no answer was remembered. */
  readonly unanswered: () => number;
}

/**
 * Remembers the answers to all reads of a plan, so that a second plan needs few requests
 * (docs/decisions/rollback-preview.md). It remembers no write and no dry run, except reviews of
 * permissions and sample Pods, which change nothing.
 */
export function rememberAnswers(cluster: Cluster): RememberedCluster {
  const answers = new Map<string, Promise<ApiResult<unknown>>>();
  let missing = 0;
  const ask = <T extends ApiResult<unknown>>(
    key: string,
    request: () => Promise<T>,
  ): Promise<T> => {
    const answer = request();
    answers.set(key, answer);
    return answer;
  };
  const recall = <T extends ApiResult<unknown>>(...keys: readonly string[]): Promise<T> => {
    const found = keys.map((key) => answers.get(key)).find((each) => each !== undefined);
    if (found !== undefined) return found as Promise<T>;
    missing++;
    return Promise.resolve(notAsked) as Promise<ApiResult<never>> as Promise<T>;
  };
  return {
    asking: askingCluster(cluster, ask),
    remembering: rememberingCluster(cluster, { ask, recall, answers }),
    unanswered: () => missing,
  };
}

const versionKey = "version";
const kindsKey = "kinds";

const notAskedMessage = "qvs asks the cluster nothing for the preview of a rollback";

/** Reports whether a problem exists only because a plan without requests lacks a fact. */
export function quotesMissingAnswer(problem: Problem): boolean {
  return JSON.stringify(problem).includes(notAskedMessage);
}

/**
 * Lists the objects that a plan without requests keeps only because it lacks a fact. The real
 * rollback deletes them, unless something else uses them by then.
 */
export function unreadDeletions({ kept }: Pick<Plan, "kept">): readonly KeptObject[] {
  return kept.filter(
    ({ why, detail }) => why === "use unknown" && detail.includes(notAskedMessage),
  );
}

const notAsked = {
  ok: false,
  failure: {
    reason: "other",
    status: 0,
    message: notAskedMessage,
    causes: [],
  },
} as const;

type Ask = <T extends ApiResult<unknown>>(key: string, request: () => Promise<T>) => Promise<T>;
type Recall = <T extends ApiResult<unknown>>(...keys: readonly string[]) => Promise<T>;

/** The answers so far, and the two ways to get one. */
interface Memory {
  readonly answers: ReadonlyMap<string, Promise<ApiResult<unknown>>>;
  readonly ask: Ask;
  readonly recall: Recall;
}

function askingCluster(cluster: Cluster, ask: Ask): Cluster {
  const kind: Cluster["kind"] = (...names) =>
    ask(keyText("kind", ...names), () => cluster.kind(...names));
  // Each of these requests begins with the discovery of its kind, so that the same question about
  // the kind sends none.
  const withKind = (apiVersion: string, name: string) => {
    kind(apiVersion, name).catch(() => {});
  };
  const askReads = (reads: Pick<Cluster, "read" | "list" | "preferredKind">) => ({
    read: (address: Parameters<Cluster["read"]>[0]) => {
      withKind(address.apiVersion, address.kind);
      return ask(readKey(address), () => reads.read(address));
    },
    list: (...query: Parameters<Cluster["list"]>) => {
      withKind(query[0], query[1]);
      return ask(listKey(...query), () => reads.list(...query));
    },
    preferredKind: (...names: Parameters<Cluster["preferredKind"]>) =>
      ask(keyText("preferred", ...names), () => reads.preferredKind(...names)),
  });
  const { shared } = cluster;
  return {
    ...cluster,
    ...askReads(cluster),
    kind,
    shared: shared && {
      ...askReads(shared),
      review: (review) => ask(sendKey(review), () => shared.review(review)),
    },
    version: () => ask(versionKey, () => cluster.version()),
    kinds: () => ask(kindsKey, () => cluster.kinds()),
    schema: (...names) => ask(keyText("schema", ...names), () => cluster.schema(...names)),
    listMetadata: (...query) => {
      withKind(query[0], query[1]);
      return ask(keyText("metadata", ...query), () => cluster.listMetadata(...query));
    },
    create: (object, options) =>
      options?.dryRun === true
        ? ask(sendKey(object), () => cluster.create(object, options))
        : cluster.create(object, options),
  };
}

function rememberingCluster(cluster: Cluster, { ask, recall, answers }: Memory): Cluster {
  const list: Cluster["list"] = async (apiVersion, kind, namespace, labels, name) => {
    const exact = listKey(apiVersion, kind, namespace, labels, name);
    if (answers.has(exact) || labels !== undefined) return recall(exact);
    const wider = [listKey(apiVersion, kind, namespace), listKey(apiVersion, kind, undefined)];
    return narrowed(await recall(...wider), namespace, name);
  };
  const reads = {
    list,
    read: async (address: Parameters<Cluster["read"]>[0]) => {
      if (answers.has(readKey(address))) return recall(readKey(address));
      const { apiVersion, kind, namespace, name } = address;
      const isListed = [namespace || undefined, undefined].some((place) =>
        answers.has(listKey(apiVersion, kind, place)),
      );
      // Only the rollback names this object.
      if (!isListed) return ask(readKey(address), () => cluster.read(address));
      const listed = await list(apiVersion, kind, namespace === "" ? undefined : namespace);
      const items = narrowed(listed, namespace, name);
      return items.ok ? { ok: true, value: items.value.items[0] } : items;
    },
    preferredKind: (...kind: Parameters<Cluster["preferredKind"]>) =>
      recall(keyText("preferred", ...kind)),
  } satisfies Pick<Cluster, "list" | "read" | "preferredKind">;
  const isNew = (object: KubeObject) =>
    (isReview(object) || isCoreObject(object, "Pod")) && !answers.has(sendKey(object));
  const shared: SharedReads = {
    ...reads,
    review: (review) =>
      isNew(review)
        ? ask(sendKey(review), () => sharedReads(cluster).review(review))
        : recall(sendKey(review)),
  };
  return {
    ...cluster,
    ...reads,
    shared: cluster.shared && shared,
    version: () => recall(versionKey),
    kinds: () => recall(kindsKey),
    kind: (...kind) => recall(keyText("kind", ...kind)),
    schema: (...kind) => recall(keyText("schema", ...kind)),
    listMetadata: async (apiVersion, kind, namespace, ...selectors) => {
      const exact = keyText("metadata", apiVersion, kind, namespace, ...selectors);
      const isSelected = selectors.some((each) => each !== undefined);
      return answers.has(exact) || isSelected ? recall(exact) : list(apiVersion, kind, namespace);
    },
    create: (object) =>
      isNew(object)
        ? ask(sendKey(object), () => cluster.create(object, { dryRun: true }))
        : recall(sendKey(object)),
    // The dry runs of a projected cluster answer the other requests.
    apply: async () => notAsked,
    patch: async () => notAsked,
    replace: async () => notAsked,
    dryRunDelete: async () => notAsked,
    delete: async () => notAsked,
  };
}

/** Reports whether a request only asks for permissions, so that it changes nothing. */
export function isReview({ apiVersion }: KubeObject): boolean {
  return groupOf(apiVersion) === "authorization.k8s.io";
}

/** Returns the part of a list in one namespace, or with one name. */
function narrowed(
  answer: ListAnswer,
  namespace: string | undefined,
  name: string | undefined,
): ListAnswer {
  if (!answer.ok) return answer;
  const isMeant = ({ metadata }: KubeObject) =>
    (namespace === undefined || (metadata["namespace"] ?? "") === namespace) &&
    (name === undefined || metadata["name"] === name);
  return { ...answer, value: { ...answer.value, items: answer.value.items.filter(isMeant) } };
}

function readKey({ apiVersion, kind, namespace, name }: Parameters<Cluster["read"]>[0]): string {
  return keyText("read", apiVersion, kind, namespace, name);
}

function listKey(...query: readonly (string | undefined)[]): string {
  // A missing argument and an undefined one are the same question.
  return keyText("list", ...Array.from({ length: 5 }, (_, index) => query[index]));
}

function sendKey(object: KubeObject): string {
  return JSON.stringify(["create", object]);
}

function keyText(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

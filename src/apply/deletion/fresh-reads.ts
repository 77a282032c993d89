import type { LimitFunction } from "p-limit";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { findProducts, type ListedProducts } from "../../model/cluster/owned-objects.ts";
import { indexWorkloads, type Workloads } from "../../model/cluster/still-used.ts";
import type { Deletion } from "../../model/deletion.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { isCustomKind, readProducts } from "./read-products.ts";
import { readCurrentWorkloads } from "./read-workloads.ts";

/** The workloads of a namespace, and its Pods that are shutting down. */
interface FreshWorkloads {
  readonly active: Workloads;
  readonly terminatingPods: Workloads;
}

/** Reads of the live state, because the plan might be an hour old. */
export interface FreshReads {
  /** Lists the workloads of a namespace. Not every one runs its latest declaration. */
  workloads(namespace: string): Promise<ApiResult<FreshWorkloads>>;
  /**
   * Updates the list of objects that Kubernetes deletes with this one.
   * `all` are the deletions of the plan.
   */
  withProducts(deletion: Deletion, all: readonly Deletion[]): Promise<Deletion>;
  /** Discards shared reads after a deletion, which might have deleted Pods, too. */
  invalidate(): void;
}

/**
 * Creates reads that list a namespace again for each question.
 * Finalizers might have delayed the earlier deletions for minutes. Concurrent questions share one
 * answer.
 */
export function createFreshReads(cluster: Cluster, limit: LimitFunction): FreshReads {
  let time = 0;
  const now = () => time;
  const products = shareReads(now, (namespace) => readProducts(cluster, limit, [namespace]));
  return {
    workloads: shareReads(now, async (namespace) => {
      const read = await readCurrentWorkloads(cluster, limit, namespace);
      if (!read.ok) return read;
      const { active, terminatingPods } = read.value;
      const value = {
        active: indexWorkloads(active),
        terminatingPods: indexWorkloads(terminatingPods),
      };
      return { ok: true, value };
    }),
    async withProducts(deletion, all) {
      if (!isCustomKind(deletion)) return deletion;
      return withCurrentProducts(deletion, all, await products(deletion.id.namespace));
    },
    invalidate: () => {
      time += 1;
    },
  };
}

function withCurrentProducts(
  deletion: Deletion,
  all: readonly Deletion[],
  products: ListedProducts,
): Deletion {
  const owners = all.map(({ live }) => live);
  return { ...deletion, products: findProducts(owners, products).get(deletion.uid) };
}

/** Shares a read while it runs, unless an object was deleted after its start. */
function shareReads<T>(
  now: () => number,
  read: (namespace: string) => Promise<T>,
): (namespace: string) => Promise<T> {
  const running = new Map<string, { readonly time: number; readonly answer: Promise<T> }>();
  return (namespace) => {
    const known = running.get(namespace);
    if (known?.time === now()) return known.answer;
    const answer = read(namespace).finally(() => {
      if (running.get(namespace)?.answer === answer) running.delete(namespace);
    });
    running.set(namespace, { time: now(), answer });
    return answer;
  };
}

import type { ApiFailure, ApiResult } from "../model/cluster/api/api-failure.ts";
import type { ServedApis } from "../model/cluster/api/served-apis.ts";
import type { ServerVersion } from "../model/cluster/api/server-version.ts";
import type { Challenger } from "../model/cluster/deployment-lock.ts";
import type { ServiceTarget } from "../model/deployments/deployment-checks.ts";
import type { JsonObject } from "../model/json.ts";
import type { KubeObject, ObjectAddress } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProbeAnswer, ProbeHeader, ProbeLimits } from "./probe.ts";

/** The API names of a kind, from discovery. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** The singular and the short names; undefined if discovery doesn't list them. */
  readonly names?: readonly string[];
  readonly namespaced: boolean;
  /** True if the kind has the subresource `status`; undefined if that isn't known. */
  readonly hasStatus?: boolean | undefined;
  /** True if the kind can be listed. Some kinds exist only as requests, such as access reviews. */
  readonly listable: boolean;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly force: boolean;
}

interface DryRunOption {
  readonly dryRun?: boolean;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** The objects of a watch: one kind with these labels, in one namespace or in all. */
export interface MetadataQuery {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string;
}

/**
 * A WatchEvent with only metadata. "SYNCED" follows each time after all objects of a list were
 * reported.
 */
export type MetadataEvent =
  | WatchEvent
  | {
      readonly type: "SYNCED";
    };

/**
 * The API server. Every method retries safe failures (429, 5xx, resets) and never throws for an
 * answer.
 */
export interface Cluster {
  /** The server address from the kubeconfig, for messages. */
  readonly server: string;
  /** Returns the version of the API server, which is read once. */
  version(): Promise<ApiResult<ServerVersion>>;
  /**
   * Discovers a kind, once per group and version.
   * The failure is "unknown-kind" if the server doesn't serve it.
   */
  kind(apiVersion: string, kind: string): Promise<ApiResult<KindInfo>>;
  /** Returns the server's preferred version of a kind in a group. */
  preferredKind(group: string, kind: string): Promise<ApiResult<KindInfo>>;
  /**
   * Lists every kind that the server serves, in every version. The preferred version of a group is
   * first.
   */
  kinds(): Promise<ApiResult<readonly KindInfo[]>>;
  /** Returns the APIs that the server serves, with their names in charts. */
  apis(): Promise<ApiResult<ServedApis>>;
  /**
   * Reports whether the server serves an API, such as `apps/v1` or `apps/v1/Deployment`.
   * A name that is missing in `apis` is asked for once more, because that list can be out of date
   * for a moment. Fails if the API server that would know it doesn't answer.
   */
  servesApi(name: string): Promise<ApiResult<boolean>>;
  /**
   * Returns the OpenAPI schema of a kind; undefined if the server publishes none.
   * After a change of a CustomResourceDefinition, the schema can be out of date for a moment.
   */
  schema(apiVersion: string, kind: string): Promise<ApiResult<JsonObject | undefined>>;
  /** Forgets the results of discovery, after a CustomResourceDefinition was created. */
  forgetKinds(): void;
  read(address: ObjectAddress): Promise<ApiResult<KubeObject | undefined>>;
  /**
   * Lists all objects of a kind, across all pages; in all namespaces if `namespace` is undefined.
   * `name` selects the objects with this name. That needs no other permission than the list.
   */
  list(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    labelSelector?: string,
    name?: string,
  ): Promise<
    ApiResult<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>
  >;
  /**
   * Reads facts that the deployments of a run have in common; undefined if nothing is shared.
   * Use `sharedReads`.
   */
  readonly shared?: SharedReads | undefined;
  /**
   * Lists objects with only apiVersion, kind and metadata. The server then sends no value of a
   * Secret.
   * `fieldSelector` selects by fields that the server supports for this kind, such as the type of a
   * Secret.
   */
  listMetadata(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    labelSelector?: string,
    fieldSelector?: string,
  ): Promise<
    ApiResult<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>
  >;
  /** Sends the object unchanged with Server-Side Apply and fieldValidation=Strict. */
  apply(object: KubeObject, options: ApplyOptions): Promise<ApiResult<KubeObject>>;
  /**
   * Sends a JSON Patch for one version of the object. Fails with "conflict" if the live version
   * differs.
   */
  patch(
    address: ObjectAddress,
    operations: readonly JsonObject[],
    options: Omit<ApplyOptions, "force">,
  ): Promise<ApiResult<KubeObject>>;
  /** Sends a POST. Fails with "already-exists" instead of overwriting the object. */
  create(object: KubeObject, options?: DryRunOption): Promise<ApiResult<KubeObject>>;
  /** Sends a PUT with the object's resourceVersion. */
  replace(object: KubeObject, options?: DryRunOption): Promise<ApiResult<KubeObject>>;
  /**
   * Deletes an object in the foreground with `preconditions.uid`. Succeeds if the object is already
   * deleted.
   * With `resourceVersion`, it fails with "conflict" if the object changed since it was read.
   * With `dependents`, the garbage collector removes their owner references instead of deleting
   * them.
   */
  delete(
    address: ObjectAddress,
    uid: string,
    resourceVersion?: string,
    dependents?: "orphan",
  ): Promise<ApiResult<undefined>>;
  /** Sends the same deletion as a dry run, to check permissions and admission. */
  dryRunDelete(address: ObjectAddress, uid: string): Promise<ApiResult<undefined>>;
  /**
   * Reports every existing object of a kind in a namespace as ADDED, and then every change.
   * After an interruption it resumes or lists again (410). It then reports missing objects as
   * DELETED. It ends when the signal aborts.
   * It reports a lasting failure and continues to try. A failure that no retry can fix is its last
   * report.
   */
  watch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<ApiResult<WatchEvent>>;
  /**
   * Watches like `watch`, with only metadata. Large and secret parts of the objects aren't sent.
   * It can run for months, so it forgets deleted objects.
   */
  watchMetadata(query: MetadataQuery, signal: AbortSignal): AsyncIterable<ApiResult<MetadataEvent>>;
  /**
   * Returns the last lines of a container's log.
   * Returns undefined if no log exists or the permission is missing.
   */
  logTail(
    namespace: string,
    pod: string,
    container: string,
    lines: number,
  ): Promise<string | undefined>;
  /**
   * Sends one GET to a Service through the API server's proxy, without retries. An error of the API
   * server itself isn't an answer.
   */
  getFromService(
    request: ServiceRequest,
    limits: ProbeLimits,
    signal: AbortSignal,
  ): Promise<ProbeAnswer>;
}

/**
 * Reads whose answers the deployments of a run share, so that each object of a large cluster isn't
 * read for each deployment. An answer is at most some seconds old. Only predictions use them:
 * decisions about an object need its current state.
 */
export interface SharedReads extends Pick<Cluster, "read" | "list" | "preferredKind"> {
  /** Asks for permissions. An answer is no older than the run's last write to a role or binding. */
  review(review: KubeObject): ReturnType<Cluster["create"]>;
}

/** Returns the shared reads of a cluster, or its own reads if nothing is shared. */
export function sharedReads(cluster: Cluster): SharedReads {
  const { shared, create } = cluster;
  return shared ?? { ...cluster, review: (review) => create(review, { dryRun: true }) };
}

/** A request to a Service. The credential of the cluster stays at the API server. */
export interface ServiceRequest {
  readonly namespace: string;
  readonly target: ServiceTarget;
  readonly headers: readonly ProbeHeader[];
}

/** The reason why a run can't take the deployment lock. */
export interface LockObstacle {
  readonly failure: ApiFailure;
  readonly problem: Problem;
}

/** The deployment lock: one run at a time per name (docs/reference/deployment.md#lock). */
export interface DeploymentLock {
  /** Aborts when the run loses the Lease. The run must not write after that. */
  readonly lost: AbortSignal;
  /** Aborts when a newer run asks this run to yield; `asker` returns that run. */
  readonly yieldRequested: AbortSignal;
  challenger(): Challenger | undefined;
  /**
   * The cluster for writes under this lock.
   * After the lock is lost, it sends no write and no retry of a failed write. Dry runs and reads
   * continue.
   */
  readonly cluster: Cluster;
  /**
   * Releases the lock, unless it is lost.
   * "delete" removes the Lease of a deleted deployment if the permissions suffice. Returns the
   * reason for a failure; undefined after success.
   */
  release(how?: "free" | "delete"): Promise<string | undefined>;
}

import type { Answer, ApiFailure } from "../model/cluster/api-failure.ts";
import type { Asker } from "../model/cluster/lock-run.ts";
import type { JsonObject } from "../model/json.ts";
import type { KubeObject, ObjectAddress } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";

/** How a kind is addressed, from discovery. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Besides the plural: the singular and the short names; missing where nobody has told. */
  readonly names?: readonly string[];
  readonly namespaced: boolean;
  /** Some exist only as requests, such as reviews of access. */
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

/** Which objects to watch: all of a kind with such labels, in one namespace or in all. */
export interface MetadataQuery {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string;
}

/** As WatchEvent, of the metadata alone; "SYNCED" each time that everything that a list shows has been reported. */
export type MetadataEvent =
  | WatchEvent
  | {
      readonly type: "SYNCED";
    };

/** The API server. Every method retries what is safe to retry (429, 5xx, resets) and never throws for an answer. */
export interface Cluster {
  /** Where it is, as the kubeconfig has it, for messages. */
  readonly server: string;
  /** Discovery, once per group and version. Failure "unknown-kind" when the server does not serve it. */
  kind(apiVersion: string, kind: string): Promise<Answer<KindInfo>>;
  /** The version that the server prefers of a kind that is known by its group only. */
  preferredKind(group: string, kind: string): Promise<Answer<KindInfo>>;
  /** Every kind that the server serves, in every version: the preferred one of a group first. */
  kinds(): Promise<Answer<readonly KindInfo[]>>;
  /** The OpenAPI schema of a kind; undefined when the server publishes none. It can be a moment behind a definition. */
  schema(apiVersion: string, kind: string): Promise<Answer<JsonObject | undefined>>;
  /** Forgets what discovery answered, after a CRD was created. */
  forgetKinds(): void;
  read(address: ObjectAddress): Promise<Answer<KubeObject | undefined>>;
  /** All objects of a kind; all namespaces when `namespace` is undefined. Pages are followed. */
  list(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    labelSelector?: string,
  ): Promise<Answer<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>>;
  /**
   * The same with nothing but apiVersion, kind and metadata: enough to know what is there, and no value of a Secret is sent.
   * `fieldSelector` names fields that the server selects this kind by, such as the type of a Secret.
   */
  listMetadata(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    labelSelector?: string,
    fieldSelector?: string,
  ): Promise<Answer<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>>;
  /** Server-Side Apply, the object exactly as given, fieldValidation=Strict. */
  apply(object: KubeObject, options: ApplyOptions): Promise<Answer<KubeObject>>;
  /** JSON Patch, for the version of the object that it names: "conflict" when that is not the present one. */
  patch(
    address: ObjectAddress,
    operations: readonly JsonObject[],
    options: Omit<ApplyOptions, "force">,
  ): Promise<Answer<KubeObject>>;
  /** POST: fails with "already-exists" instead of overwriting. */
  create(object: KubeObject, options?: DryRunOption): Promise<Answer<KubeObject>>;
  /** PUT with the object's resourceVersion. */
  replace(object: KubeObject, options?: DryRunOption): Promise<Answer<KubeObject>>;
  /**
   * Foreground deletion with `preconditions.uid`. ok also when it was deleted already. With `resourceVersion` it fails
   * with "conflict" if the object has changed since it was read.
   */
  delete(address: ObjectAddress, uid: string, resourceVersion?: string): Promise<Answer<undefined>>;
  /** A dry-run of that deletion: whether permissions and admission would let it through. */
  tryDelete(address: ObjectAddress, uid: string): Promise<Answer<undefined>>;
  /**
   * Every present object of a kind in a namespace as ADDED, then what changes, for ever: reconnects, resumes and
   * relists by itself (410), reporting as DELETED what went missing in between. Ends when the signal aborts.
   * A failure that lasts is reported and attempts go on; one that no retry can fix is the last thing reported.
   */
  watch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Answer<WatchEvent>>;
  /**
   * The same of the metadata alone, which spares the server and us whatever is large or secret in the objects. It may go on for
   * months: what was deleted is forgotten.
   */
  watchMetadata(query: MetadataQuery, signal: AbortSignal): AsyncIterable<Answer<MetadataEvent>>;
  /** The last lines of a container's log; undefined where that is not allowed or there is none. */
  logTail(
    namespace: string,
    pod: string,
    container: string,
    lines: number,
  ): Promise<string | undefined>;
}

/** Why the lock of a deployment can't be taken. */
export interface LockRefusal {
  readonly failure: ApiFailure;
  readonly problem: Problem;
}

/** One deployment at a time per name (docs/reference/deployment.md#lock). */
export interface DeploymentLock {
  /** Aborts when the lease is lost; nothing may be written after that. */
  readonly lost: AbortSignal;
  /** Aborts when a newer run asks this one to give way; `asker` says which. */
  readonly asked: AbortSignal;
  asker(): Asker | undefined;
  /**
   * The cluster for what is done under this lock: a write that is due once the lock is lost is not sent, nor sent again
   * after an attempt that failed. Dry-runs and reads go on.
   */
  readonly cluster: Cluster;
  /**
   * Gives it back, unless it is lost; "delete" for a deployment that is no more, where the rights suffice. Why that failed; undefined
   * when it did not.
   */
  release(how?: "free" | "delete"): Promise<string | undefined>;
}

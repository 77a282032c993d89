import type { Cluster } from "../../ports/kubernetes.ts";
import { openDiscovery } from "./discovery/discovery.ts";
import { readSchema } from "./discovery/requests.ts";
import type { SharedAnswers } from "./shared-answers.ts";
import type { Connection } from "./transport/connection.ts";
import { openSockets, type ServerSockets } from "./transport/exchange.ts";
import { type AnswerBounds, defaultBounds, defaultPace, type Pace } from "./transport/limits.ts";
import { isWrite, openTransport, type Transport } from "./transport/transport.ts";
import type { Api } from "./verbs/api.ts";
import { getFromService, list, listMetadata, logTail, read } from "./verbs/reads.ts";
import { apply, create, deleteObject, patch, replace, tryDeleteObject } from "./verbs/writes.ts";
import { watch, watchMetadata } from "./watch/watch.ts";

/**
 * Returns the same transport, but without writes while `forbidden` returns a reason. Dry runs
 * aren't writes.
 */
function forbidWrites(transport: Transport, forbidden: () => string | undefined): Transport {
  return {
    ...transport,
    send: (call) => transport.send(isWrite(call) ? { ...call, forbidden } : call),
  };
}

/** Returns the same transport, which forgets the shared answers before and after each write. */
function forgetAtWrites(transport: Transport, answers: SharedAnswers): Transport {
  return {
    ...transport,
    send: async (call) => {
      if (!isWrite(call)) return transport.send(call);
      const forget = () => answers.forgetAtWrite(call.path);
      forget();
      return transport.send(call).finally(forget);
    },
  };
}

/** The parts that the clusters of a run with the same connection share. */
export interface SharedConnection {
  readonly sockets: ServerSockets;
  readonly answers: SharedAnswers;
}

/** A cluster whose connections can be closed. */
export interface OpenCluster extends Cluster {
  /**
   * Returns the same cluster over the same connections. It sends no write while `forbidden` returns
   * a reason.
   */
  guarded(forbidden: () => string | undefined): Cluster;
  /**
   * Reports whether qvs sent any request that could have changed something, including locks and
   * records.
   */
  hasWritten(): boolean;
  /** Reports whether qvs might have changed anything except locks. */
  hasChanged(): boolean;
  /** Cuts pending requests; qvs doesn't retry them. */
  close(): void;
}

/**
 * Returns the API server as a Cluster. It connects with the first request, through `shared` sockets
 * if there are any.
 */
export function openCluster(
  connection: Connection,
  pace: Pace = defaultPace,
  bounds: AnswerBounds = defaultBounds,
  shared?: SharedConnection,
): OpenCluster {
  const opened = openTransport(connection, pace, bounds, shared?.sockets);
  const transport = shared === undefined ? opened : forgetAtWrites(opened, shared.answers);
  const discovery = openDiscovery(transport, shared?.answers.discovery);
  const open = (through: Transport): Cluster => {
    const cluster = clusterThrough({ transport: through, discovery });
    return { ...cluster, shared: shared?.answers.through(cluster) };
  };
  return {
    ...open(transport),
    guarded: (forbidden) => open(forbidWrites(transport, forbidden)),
    hasWritten: transport.hasWritten,
    hasChanged: transport.hasChanged,
    close: transport.close,
  };
}

/** Opens sockets that several clusters with this connection can share. */
export function openSharedSockets(connection: Connection): ServerSockets {
  return openSockets(connection, defaultPace.connectTimeout);
}

function clusterThrough(api: Api): Cluster {
  const { transport, discovery } = api;
  return {
    server: transport.server,
    version: discovery.version,
    kind: discovery.kind,
    preferredKind: discovery.preferredKind,
    kinds: discovery.kinds,
    apis: discovery.apis,
    servesApi: discovery.servesApi,
    schema: (...kind) => readSchema(transport, ...kind),
    forgetKinds: discovery.forget,
    read: (address) => read(api, address),
    list: (...query) => list(api, ...query),
    listMetadata: (...query) => listMetadata(api, ...query),
    apply: (object, options) => apply(api, object, options),
    patch: (...patched) => patch(api, ...patched),
    create: (...object) => create(api, ...object),
    replace: (...object) => replace(api, ...object),
    delete: (...object) => deleteObject(api, ...object),
    dryRunDelete: (...object) => tryDeleteObject(api, ...object),
    watch: (apiVersion, kind, namespace, signal) =>
      watch(api, { apiVersion, kind, namespace }, AbortSignal.any([signal, transport.closed])),
    watchMetadata: (query, signal) =>
      watchMetadata(api, query, AbortSignal.any([signal, transport.closed])),
    logTail: (...container) => logTail(api, ...container),
    getFromService: (...request) => getFromService(api, ...request),
  };
}

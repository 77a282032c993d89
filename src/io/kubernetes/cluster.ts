import type { Cluster } from "../../ports.ts";
import type { Api } from "./api.ts";
import { apply } from "./apply.ts";
import type { Connection } from "./connection.ts";
import { create } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { openDiscovery } from "./discovery.ts";
import { list } from "./list.ts";
import { logTail } from "./log.ts";
import { defaultPace, type Pace } from "./pace.ts";
import { read } from "./read.ts";
import { replace } from "./replace.ts";
import { openTransport } from "./transport.ts";
import { watch } from "./watch.ts";

/** A cluster whose connections can be closed. */
export interface OpenCluster extends Cluster {
  /** Closes all connections; without it they keep the process alive for some seconds. */
  close(): void;
}

/** The API server behind the port. Connects when first asked for something. */
export function openCluster(connection: Connection, pace: Pace = defaultPace): OpenCluster {
  const transport = openTransport(connection, pace);
  const discovery = openDiscovery(transport);
  const api: Api = { transport, discovery };
  return {
    server: connection.server,
    kind: discovery.kind,
    preferredKind: discovery.preferredKind,
    forgetKinds: discovery.forget,
    read: (address) => read(api, address),
    list: (...query) => list(api, ...query),
    apply: (object, options) => apply(api, object, options),
    create: (object) => create(api, object),
    replace: (object) => replace(api, object),
    delete: (address, uid) => deleteObject(api, address, uid),
    watch: (apiVersion, kind, namespace, signal) =>
      watch(api, { apiVersion, kind, namespace }, signal),
    logTail: (...container) => logTail(api, ...container),
    close: transport.close,
  };
}

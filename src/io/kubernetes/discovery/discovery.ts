import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { isBuiltInGroup } from "../../../model/cluster/api/built-in-groups.ts";
import { parseApiName, type ServedApis } from "../../../model/cluster/api/served-apis.ts";
import {
  formatServerVersion,
  type ServerVersion,
} from "../../../model/cluster/api/server-version.ts";
import { formatApiVersion, groupOf } from "../../../model/object.ts";
import type { KindInfo } from "../../../ports/kubernetes.ts";
import { builtinKindVersions } from "../../builtin-kinds/read.ts";
import type { SharedAnswers } from "../shared-answers.ts";
import { type FailedAnswer, failure } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";
import {
  requestAllKinds,
  requestVersion,
  requestVersionKinds,
  type ServedKinds,
  type ServedRoot,
} from "./requests.ts";

export interface Discovery {
  version(): Promise<ApiResult<ServerVersion>>;
  kind(apiVersion: string, kind: string): Promise<ApiResult<KindInfo>>;
  preferredKind(group: string, kind: string): Promise<ApiResult<KindInfo>>;
  /** Returns the kinds of the core group, then those of all other groups. */
  kinds(): Promise<ApiResult<ServedKinds>>;
  apis(): Promise<ApiResult<ServedApis>>;
  servesApi(name: string): Promise<ApiResult<boolean>>;
  forget(): void;
}

/** The answers that several deployments of a run share. */
export type SharedDiscovery = SharedAnswers["discovery"];

/** Failures that the next request would only repeat. */
const permanentFailures = ["unreachable", "unauthorized", "beyond-bounds"];

/**
 * Discovers all served kinds in two requests. It requests a missing kind by its version: the full
 * list can be outdated, or omit an API server that answered slowly.
 */
export function openDiscovery(transport: Transport, shared?: SharedDiscovery): Discovery {
  let roots = new Map<string, Promise<ApiResult<ServedRoot>>>();
  let answers = new Map<string, Promise<ApiResult<ServedKinds>>>();
  let version: Promise<ApiResult<ServerVersion>> | undefined;

  /** Sends one request for all concurrent callers. A failure isn't kept. */
  const onceIn = <T>(
    kept: Map<string, Promise<ApiResult<T>>>,
    key: string,
    ask: () => Promise<ApiResult<T>>,
  ) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const answered = ask().then((answer) => {
      if (!answer.ok) kept.delete(key);
      return answer;
    });
    kept.set(key, answered);
    return answered;
  };

  const once = (key: string, ask: () => Promise<ApiResult<ServedKinds>>) =>
    onceIn(answers, key, ask);

  const rootBeside = (group: string) => {
    const root = group === "" ? "/api" : "/apis";
    return onceIn(roots, root, () => requestAllKinds(transport, root));
  };

  const everythingBeside = async (group: string) => kindsIn(await rootBeside(group));

  /**
   * Returns kinds that another deployment of the run might have read, some seconds ago. Kinds that
   * were added since are missing.
   */
  const sharedRoot = async (group: string): Promise<ApiResult<ServedRoot>> => {
    const root = group === "" ? "/api" : "/apis";
    if (shared === undefined || roots.has(root)) return rootBeside(group);
    return shared.share(root, () => rootBeside(group));
  };

  const sharedKinds = async (group: string) => kindsIn(await sharedRoot(group));

  /** Returns the kinds of a version that another deployment of the run might have requested. */
  const recentVersion = (apiVersion: string) => {
    const ask = () => once(apiVersion, () => requestVersionKinds(transport, apiVersion));
    return shared === undefined || answers.has(apiVersion) ? ask() : shared.share(apiVersion, ask);
  };

  const allApis = async (): Promise<ApiResult<ServedApis>> => {
    const [core, others] = await Promise.all([sharedRoot(""), sharedRoot("others")]);
    if (!core.ok) return core;
    return others.ok ? { ok: true, value: joined(core.value, others.value) } : others;
  };

  /**
   * Returns the kinds of the core group if a kind was expected in another group, and vice versa.
   */
  const kindsElsewhere = async (apiVersion: string): Promise<ServedKinds> => {
    const answer = await everythingBeside(groupOf(apiVersion) === "" ? "others" : "");
    return answer.ok ? answer.value : [];
  };

  const readVersion = () => {
    const ask = () => requestVersion(transport);
    version ??= shared === undefined ? ask() : shared.share("/version", ask);
    return version;
  };

  /** Describes the versions with a kind that other servers have built in. */
  const missingKindReason = async (apiVersion: string, kind: string): Promise<string> => {
    const exists = builtinKindVersions(apiVersion, kind);
    if (exists === undefined) return "";
    const server = await readVersion();
    const own = server.ok ? `; this server is ${formatServerVersion(server.value)}` : "";
    return `; it exists ${exists}${own}`;
  };

  return {
    version: readVersion,
    kind: async (apiVersion, kind) => {
      const everything = await sharedKinds(groupOf(apiVersion));
      if (!everything.ok && permanentFailures.includes(everything.failure.reason))
        return everything;
      const known = everything.ok ? everything.value : [];
      const quick = find(known, apiVersion, kind);
      if (quick !== undefined) return { ok: true, value: quick };
      const version = await once(apiVersion, () => requestVersionKinds(transport, apiVersion));
      if (!version.ok) return version;
      const found = find(version.value, apiVersion, kind);
      if (found !== undefined) return { ok: true, value: found };
      const all = [...known, ...(await kindsElsewhere(apiVersion))];
      return unknownKind(apiVersion, kind, all, await missingKindReason(apiVersion, kind));
    },
    preferredKind: async (group, kind) => {
      const isMeant = (info: KindInfo) => info.group === group && info.kind === kind;
      const recent = await sharedKinds(group);
      const known = recent.ok ? recent.value.find(isMeant) : undefined;
      if (known !== undefined) return { ok: true, value: known };
      const everything = await everythingBeside(group);
      if (!everything.ok) return everything;
      const found = everything.value.find(isMeant);
      if (found !== undefined) return { ok: true, value: found };
      return unknownKind(group === "" ? "v1" : group, kind, everything.value);
    },
    kinds: async () => {
      const [core, others] = await Promise.all([everythingBeside(""), everythingBeside("others")]);
      if (!core.ok) return core;
      return others.ok ? { ok: true, value: [...core.value, ...others.value] } : others;
    },
    apis: allApis,
    servesApi: async (name) => {
      const all = await allApis();
      if (!all.ok) return all;
      if (all.value.names.includes(name)) return { ok: true, value: true };
      const parsed = parseApiName(name);
      if (parsed === undefined) return { ok: true, value: false };
      const { apiVersion, kind } = parsed;
      // Only the API server itself defines these groups, so that its list is complete.
      if (isBuiltInGroup(groupOf(apiVersion))) return { ok: true, value: false };
      // The full list can be older than a CustomResourceDefinition.
      const version = await recentVersion(apiVersion);
      if (!version.ok) return version;
      const isServed = version.value.some((info) => kind === undefined || info.kind === kind);
      return { ok: true, value: isServed };
    },
    forget: () => {
      roots = new Map();
      answers = new Map();
      shared?.forget();
    },
  };
}

function kindsIn(answer: ApiResult<ServedRoot>): ApiResult<ServedKinds> {
  return answer.ok ? { ok: true, value: answer.value.kinds } : answer;
}

function joined(a: ServedApis, b: ServedApis): ServedApis {
  return {
    kinds: [...a.kinds, ...b.kinds],
    names: [...a.names, ...b.names],
    unreadable: [...a.unreadable, ...b.unreadable],
  };
}

function find(kinds: ServedKinds, apiVersion: string, kind: string): KindInfo | undefined {
  return kinds.find((info) => info.kind === kind && formatApiVersion(info) === apiVersion);
}

/**
 * Returns the failure for an unknown kind. Usually the cluster no longer serves the version, so the
 * message names the served versions.
 */
function unknownKind(where: string, kind: string, all: ServedKinds, reason = ""): FailedAnswer {
  const meant = findMeantKind(kind, all);
  const served = all.filter((info) => info.kind === meant).map(formatApiVersion);
  const instead = served.length === 0 ? "" : `; it serves ${meant} in ${served.join(", ")}`;
  return failure(
    "unknown-kind",
    `the API server doesn't serve ${kind} in ${where}${instead}${reason}`,
    404,
  );
}

/**
 * Returns the kind that the user meant. A wrong kind often differs in capitals or is a plural:
 * `configmap`, `Deployments`.
 */
function findMeantKind(kind: string, all: ServedKinds): string {
  const isMeant = (info: KindInfo) =>
    info.kind.toLowerCase() === kind.toLowerCase() || info.plural === kind.toLowerCase();
  return all.some((info) => info.kind === kind) ? kind : (all.find(isMeant)?.kind ?? kind);
}

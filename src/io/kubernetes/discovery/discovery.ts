import type { Answer } from "../../../model/cluster/api-failure.ts";
import { apiVersionOf, groupOf } from "../../../model/object.ts";
import type { KindInfo } from "../../../ports/kubernetes.ts";
import { type FailedAnswer, failure } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";
import { askEverything, askVersion, type Kinds } from "./requests.ts";

export interface Discovery {
  kind(apiVersion: string, kind: string): Promise<Answer<KindInfo>>;
  preferredKind(group: string, kind: string): Promise<Answer<KindInfo>>;
  /** Of the core group, then of all others. */
  kinds(): Promise<Answer<Kinds>>;
  forget(): void;
}

/** Failures that the next request would only repeat. */
const hopeless = ["unreachable", "unauthorized", "beyond-bounds"];

/**
 * What the server serves, in two requests. What is not in there is asked for by its version: that list may be behind,
 * or leave out an API server that was slow to answer.
 */
export function openDiscovery(transport: Transport): Discovery {
  let answers = new Map<string, Promise<Answer<Kinds>>>();

  /** Asked once, however many want to know at the same time. A failure is not kept. */
  const once = (key: string, ask: () => Promise<Answer<Kinds>>) => {
    const kept = answers;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const asked = ask().then((answer) => {
      if (!answer.ok) kept.delete(key);
      return answer;
    });
    kept.set(key, asked);
    return asked;
  };

  const everythingBeside = (group: string) => {
    const root = group === "" ? "/api" : "/apis";
    return once(root, () => askEverything(transport, root));
  };

  /** In the core group if it was looked for in another one, and the other way round. */
  const kindsElsewhere = async (apiVersion: string): Promise<Kinds> => {
    const answer = await everythingBeside(groupOf(apiVersion) === "" ? "others" : "");
    return answer.ok ? answer.value : [];
  };

  return {
    kind: async (apiVersion, kind) => {
      const everything = await everythingBeside(groupOf(apiVersion));
      if (!everything.ok && hopeless.includes(everything.failure.reason)) return everything;
      const known = everything.ok ? everything.value : [];
      const quick = find(known, apiVersion, kind);
      if (quick !== undefined) return { ok: true, value: quick };
      const version = await once(apiVersion, () => askVersion(transport, apiVersion));
      if (!version.ok) return version;
      const found = find(version.value, apiVersion, kind);
      return found === undefined
        ? unknownKind(apiVersion, kind, [...known, ...(await kindsElsewhere(apiVersion))])
        : { ok: true, value: found };
    },
    preferredKind: async (group, kind) => {
      const everything = await everythingBeside(group);
      if (!everything.ok) return everything;
      const found = everything.value.find((info) => info.group === group && info.kind === kind);
      if (found !== undefined) return { ok: true, value: found };
      return unknownKind(group === "" ? "v1" : group, kind, everything.value);
    },
    kinds: async () => {
      const [core, others] = await Promise.all([everythingBeside(""), everythingBeside("others")]);
      if (!core.ok) return core;
      return others.ok ? { ok: true, value: [...core.value, ...others.value] } : others;
    },
    forget: () => {
      answers = new Map();
    },
  };
}

function find(kinds: Kinds, apiVersion: string, kind: string): KindInfo | undefined {
  return kinds.find((info) => info.kind === kind && apiVersionOf(info) === apiVersion);
}

/** Most often the version is one that the cluster no longer serves, so the message names those that it does. */
function unknownKind(where: string, kind: string, all: Kinds): FailedAnswer {
  const meant = kindMeant(kind, all);
  const served = all.filter((info) => info.kind === meant).map(apiVersionOf);
  const instead = served.length === 0 ? "" : `; it serves ${meant} in ${served.join(", ")}`;
  return failure("unknown-kind", `the cluster does not serve ${kind} in ${where}${instead}`, 404);
}

/** Kinds are told apart by capitals, and by whether there is one of them: `configmap`, `Deployments`. */
function kindMeant(kind: string, all: Kinds): string {
  const isMeant = (info: KindInfo) =>
    info.kind.toLowerCase() === kind.toLowerCase() || info.plural === kind.toLowerCase();
  return all.some((info) => info.kind === kind) ? kind : (all.find(isMeant)?.kind ?? kind);
}

import { setTimeout as sleep } from "node:timers/promises";
import type { ApiProxy, Interference, Rule } from "../support/servers/api-proxy.ts";
import { passing } from "../sweeps/faults.ts";
import type { NumberedRequest } from "../sweeps/numbered-request.ts";
import type { Chance } from "./chance.ts";

/** The programs of the control plane that the soak kills. */
const controlPrograms = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "etcd",
] as const;

/** Something that goes wrong during a run, from its `request`-th request on. */
export type Disturbance =
  | {
      readonly kind: "program";
      readonly program: (typeof controlPrograms)[number];
      readonly awayMs: number;
      readonly request: number;
    }
  | {
      readonly kind: "network";
      readonly how: (typeof networkFaults)[number];
      readonly ms: number;
      readonly request: number;
    }
  | {
      readonly kind: "qvs";
      readonly signal: "SIGKILL" | "SIGINT";
      /** True to end the run before the API server receives the request. */
      readonly before: boolean;
      readonly request: number;
    };

const networkFaults = ["slow", "faults", "partition", "stall"] as const;

/** Returns the name in the report. */
export function nameOf(disturbance: Disturbance | undefined): string {
  switch (disturbance?.kind) {
    case undefined:
      return "nothing";
    case "program":
      return `SIGKILL of ${disturbance.program}`;
    case "network":
      return `network: ${disturbance.how}`;
    case "qvs":
      return `${disturbance.signal} of qvs`;
  }
}

/** Draws a disturbance, or none. `requests` is the usual number of requests of such a run. */
export function drawDisturbance(chance: Chance, requests: number): Disturbance | undefined {
  const request = chance.between(1, requests);
  const kind = chance.below(100);
  if (kind < 35) return undefined;
  if (kind < 60) {
    const program = chance.pick(controlPrograms);
    return { kind: "program", program, awayMs: chance.between(200, 5_000), request };
  }
  if (kind < 80) {
    const how = chance.pick(networkFaults);
    return { kind: "network", how, ms: chance.between(1_000, 30_000), request };
  }
  const signal = chance.happens(70) ? "SIGKILL" : "SIGINT";
  return { kind: "qvs", signal, before: chance.happens(50), request };
}

/** The actions that a disturbance can take. */
interface Means {
  readonly proxy: ApiProxy;
  readonly chance: Chance;
  kill(signal: NodeJS.Signals): void;
  /** Ends and starts a program of the control plane. */
  restart(program: string, awayMs: number): void;
}

/** Returns the rule of the proxy that carries out the disturbance. `reached` is called once. */
export function ruleOf(disturbance: Disturbance, means: Means, reached: () => void): Rule {
  let since: number | undefined;
  return (request) => {
    const isFirst = since === undefined && request.position >= disturbance.request;
    if (isFirst) {
      since = Date.now();
      reached();
    }
    if (since === undefined) return undefined;
    switch (disturbance.kind) {
      case "program":
        if (isFirst) means.restart(disturbance.program, disturbance.awayMs);
        return undefined;
      case "qvs":
        return isFirst ? killing(disturbance, means) : undefined;
      case "network":
        return networkFault(disturbance, request, { isFirst, since }, means);
    }
  };
}

function killing(
  { signal, before }: Extract<Disturbance, { kind: "qvs" }>,
  { kill }: Means,
): Interference {
  const act = () => kill(signal);
  if (signal === "SIGINT") return before ? { before: act } : { after: act };
  return before ? { before: act, cut: "before" } : { after: act, cut: "after" };
}

function networkFault(
  { how, ms }: Extract<Disturbance, { kind: "network" }>,
  request: NumberedRequest,
  { isFirst, since }: { readonly isFirst: boolean; readonly since: number },
  { proxy, chance }: Means,
): Interference | undefined {
  const left = since + ms - Date.now();
  if (left <= 0) return undefined;
  switch (how) {
    case "slow":
      return { before: async () => void (await sleep(chance.below(2_000))) };
    case "faults": {
      const fault = chance.pick(passing);
      return chance.happens(30) && fault.concerns(request) ? fault.interference : undefined;
    }
    case "partition":
      if (isFirst) proxy.disconnect();
      return { cut: "before" };
    case "stall":
      return { before: async () => void (await sleep(left)) };
  }
}

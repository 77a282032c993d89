import {
  apart,
  byArgoHash,
  deployment,
  type Fields,
  type GridCase,
  plain,
  rollout,
  service,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { blueGreenCase, canary, services } from "../situations.ts";

const tight = { apart: [apart()] };

/** With traffic routing, the stable Pods stay until the end. */
const traffic: readonly GridCase[] = [
  routed("3 on 3 nodes", 3, {}),
  routed("3 on 5 nodes", 5, {}),
  routed("3 on 6 nodes", 6, {}),
  routed("3 by hash on 3 nodes", 3, {}, { apart: [apart(byArgoHash)] }),
  routed("3 on 5 nodes, scaled with the traffic", 5, { dynamicStableScale: true }),
  routed("3 on 3 nodes, scaled with the traffic", 3, { dynamicStableScale: true }),
  routed("one canary by number on 5 nodes", 5, { steps: [scale({ replicas: 1 }), weight(50)] }),
  routed("one canary by number on 6 nodes", 6, { steps: [scale({ replicas: 1 }), weight(50)] }),
  routed("more canaries than traffic on 6 nodes", 6, {
    steps: [scale({ weight: 100 }), weight(20)],
  }),
];

const weights: readonly GridCase[] = [
  canary("weights of 20 and 60 of 5", steps(weight(20), weight(60)), 5, 5),
  canary(
    "weights of 20 and 60 of 5, none more",
    { canary: { ...steps(weight(20), weight(60)).canary, maxSurge: 0, maxUnavailable: 1 } },
    5,
    5,
  ),
  canary(
    "weights of 40 and 80 of 5, two more and one fewer",
    { canary: { ...steps(weight(40), weight(80)).canary, maxSurge: 2, maxUnavailable: 1 } },
    5,
    5,
  ),
  canary("weights of 60 and 20 of 5, with a free node", steps(weight(60), weight(20)), 5, 6),
  canary("a weight of 50 of 1", steps(weight(50)), 1, 1),
  canary("a weight of 50 of 1, with a free node", steps(weight(50)), 1, 2),
  afterPause("a workload that is too large follows", 3),
  afterPause("a workload that fits follows", 4),
  analysed("on as many nodes", 3),
  analysed("with a free node", 4),
];

const blueGreen = (options: Fields = {}) => ({
  blueGreen: {
    ...{ activeService: "active", previewService: "preview", scaleDownDelaySeconds: 0 },
    ...options,
  },
});

const required = { requiredDuringSchedulingIgnoredDuringExecution: {} };
const color: readonly GridCase[] = [
  blueGreenCase("a term of its own on 3 nodes", blueGreen({ antiAffinity: required }), {}, 3),
  {
    ...blueGreenCase(
      "a term of its own with a free node",
      blueGreen({ antiAffinity: required }),
      {},
      4,
    ),
    keepsControllerBusy: true,
  },
  promoted("on 5 nodes", 5),
  promoted("on 6 nodes", 6),
  {
    ...blueGreenCase("a third color with places for all", blueGreen(), {}, 9),
    steps: [1, 2, 3].map((version) => [
      rollout(blueGreen({ scaleDownDelaySeconds: 3600 }), { version, ...tight }),
      ...services,
    ]),
  },
];

/** Rollouts that use the template of a Deployment, which itself has no Pods. */
const references: readonly GridCase[] = [
  referring("on as many nodes", 3),
  referring("with a free node", 4),
];

export const argoClasses = { traffic, weights, color, references };

function weight(setWeight: number): Fields {
  return { setWeight };
}

function scale(setCanaryScale: Fields): Fields {
  return { setCanaryScale };
}

function steps(...all: readonly Fields[]) {
  return { canary: { steps: all } };
}

function routed(
  name: string,
  nodes: number,
  options: Fields,
  pods: WorkloadOptions = tight,
): GridCase {
  const strategy = {
    canary: {
      ...{ canaryService: "preview", stableService: "active", steps: [weight(34)] },
      trafficRouting: { nginx: { stableIngress: "web" } },
      ...options,
    },
  };
  return {
    name: `traffic: ${name}`,
    nodes: plain(nodes),
    steps: [1, 2].map((version) => [
      rollout(strategy, { ...pods, version }),
      ...[...services, ingress()],
    ]),
  };
}

function ingress(): Fields {
  const backend = { service: { name: "active", port: { number: 80 } } };
  const paths = [{ path: "/", pathType: "Prefix", backend }];
  return {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
    metadata: { name: "web", annotations: { "kubernetes.io/ingress.class": "nginx" } },
    spec: { rules: [{ host: "CASE.example", http: { paths } }] },
  };
}

function promoted(name: string, nodes: number): GridCase {
  const strategy = blueGreen({ autoPromotionSeconds: 1, previewReplicaCount: 2 });
  return {
    ...blueGreenCase(`promoted after a second ${name}`, strategy, tight, nodes),
    pauses: true,
  };
}

function afterPause(name: string, nodes: number): GridCase {
  const strategy = steps(weight(0), { pause: { duration: "1s" } }, weight(50));
  return { ...canary(`a pause, and ${name}`, strategy, 3, nodes), pauses: true };
}

/** Returns a Rollout with an analysis by a Job that succeeds. */
function analysed(name: string, nodes: number): GridCase {
  const analysis = { templates: [{ templateName: "check" }] };
  const strategy = steps(weight(33), { analysis }, weight(50));
  const container = { name: "check", image: "check:1" };
  const job = { template: { spec: { restartPolicy: "Never", containers: [container] } } };
  const template = {
    ...{ apiVersion: "argoproj.io/v1alpha1", kind: "AnalysisTemplate" },
    ...{ metadata: { name: "check" } },
    spec: { metrics: [{ name: "check", provider: { job: { spec: job } } }] },
  };
  return {
    ...canary(`an analysis between two weights ${name}`, strategy, 3, nodes),
    steps: [1, 2].map((version) => [template, rollout(strategy, { version, ...tight })]),
  };
}

function referring(name: string, nodes: number): GridCase {
  const strategy = { canary: { maxSurge: 1, maxUnavailable: 0 } };
  const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "base" };
  const own = rollout(strategy, {
    spec: { workloadRef, template: undefined, selector: undefined },
  });
  return {
    name: `canary: the template of another object ${name}`,
    nodes: plain(nodes),
    begun: ["rollout/web", "--for=jsonpath={.status.workloadObservedGeneration}=2"],
    steps: [1, 2].map((version) => [
      deployment({ name: "base", replicas: 0, version, ...tight }),
      ...[own, service("web")],
    ]),
  };
}

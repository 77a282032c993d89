import {
  apart,
  deployment,
  type GridCase,
  plain,
  statefulSet,
} from "../../../support/rollout-pieces.ts";

const both = { labels: { app: "web", tier: "front" }, apart: [apart({}, { tier: "front" })] };
const api = { ...both, name: "api", labels: { app: "api", tier: "front" } };

const api20 = (replicas: number) =>
  deployment({ name: "api", labels: { app: "api" }, replicas, cpu: "20" });

/** Two workloads that change in one deployment. */
const pairs: readonly GridCase[] = [
  pair("two apart from each other on as many nodes", 4),
  pair("two apart from each other with a free node", 5),
  becomesSet("on the same nodes", 2),
  becomesSet("with free nodes", 4),
  {
    name: "one shrinks with its template while another grows into its room",
    isRace: true,
    nodes: plain(3),
    steps: [
      [deployment({ cpu: "20" })],
      [
        deployment({ cpu: "20", replicas: 1, version: 2 }),
        deployment({ name: "api", labels: { app: "api" }, replicas: 2, cpu: "20" }),
      ],
    ],
  },
  {
    name: "one shrinks with its template while another grows beyond its room",
    nodes: plain(3),
    steps: [
      [deployment({ cpu: "20" })],
      [
        deployment({ cpu: "20", replicas: 1, version: 2 }),
        deployment({ name: "api", labels: { app: "api" }, replicas: 3, cpu: "20" }),
      ],
    ],
  },
];

/** A small Pod can take the place that only a large one frees, and vice versa. */
const races: readonly GridCase[] = [
  { ...swapped("each into the other's room", 2, 2, 4), isRace: true },
  swapped("each into the other's room, with a free node", 2, 2, 5),
  {
    name: "one grows by its template into the only free node, another surges there",
    nodes: plain(3),
    steps: [
      [deployment({ replicas: 1, cpu: "20" }), api20(1)],
      [
        deployment({ replicas: 1, cpu: "20", version: 2 }),
        deployment({ name: "api", labels: { app: "api" }, replicas: 1, cpu: "20", version: 2 }),
      ],
    ],
  },
];

export const pairClasses = { pairs, races };

function pair(name: string, nodes: number): GridCase {
  const pace = { replicas: 2, surge: 1, unavailable: 0 };
  return {
    name,
    nodes: plain(nodes),
    steps: [1, 2].map((version) => [
      deployment({ ...both, ...pace, version }),
      deployment({ ...api, ...pace, version }),
    ]),
  };
}

/** Returns a case with a removed workload. qvs deletes it after everything else is ready. */
function becomesSet(name: string, nodes: number): GridCase {
  const options = { replicas: 2, hostPort: 8085 };
  return {
    name: `a Deployment becomes a StatefulSet with its host port ${name}`,
    nodes: plain(nodes),
    steps: [[deployment(options)], [statefulSet(options)]],
  };
}

function swapped(name: string, replicas: number, others: number, nodes: number): GridCase {
  return {
    name: `two change in size, ${name}`,
    nodes: plain(nodes),
    steps: [
      [deployment({ cpu: "20", replicas: 3 }), api20(1)],
      [deployment({ cpu: "20", replicas, version: 2 }), api20(others)],
    ],
  };
}

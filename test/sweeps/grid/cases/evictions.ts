import {
  apart,
  daemonSet,
  deployment,
  type Fields,
  type GridCase,
  plain,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { changed, first, spread, stateful } from "../situations.ts";
import { around, res } from "./pieces.ts";

const urgent = { priorityClassName: "grid-urgent" };
const db = (options: WorkloadOptions): Fields =>
  deployment({ ...options, name: "db", labels: { app: "db" } });
const dbSpread = [spread({}, { app: "db" })];
const evictions: readonly GridCase[] = [
  around(
    first("urgent, kept away by one of the zone", zones(2), { replicas: 1, pod: urgent }),
    db({ replicas: 1, apart: [apart({ topologyKey: zone }, { app: "web" })] }),
  ),
  around(
    first("urgent, kept away by two of the zone", zones(2), { replicas: 1, pod: urgent }),
    db({
      replicas: 2,
      apart: [apart({ topologyKey: zone }, { app: "web" }), apart({}, { app: "db" })],
    }),
  ),
  around(
    first("urgent, keeps away two of the zone", zones(2), {
      replicas: 1,
      pod: urgent,
      apart: [apart({ topologyKey: zone }, { app: "db" })],
    }),
    db({ replicas: 2, apart: [apart({}, { app: "db" })] }),
  ),
  around(
    first("urgent with an affinity to what it evicts", plain(1), {
      replicas: 1,
      cpu: "20",
      pod: urgent,
      together: [apart({}, { app: "db" })],
    }),
    db({ replicas: 1, cpu: "20" }),
  ),
  around(
    first("urgent with an affinity to one of two that it evicts", plain(1), {
      replicas: 1,
      cpu: "16",
      pod: urgent,
      together: [apart({}, { app: "db" })],
    }),
    db({ replicas: 2, cpu: "16" }),
  ),
  around(
    first("urgent by an extended resource", plain(1, { allocatable: { "example.com/gpu": "1" } }), {
      replicas: 1,
      pod: urgent,
      ...res({}, { "example.com/gpu": "1" }),
    }),
    db({ replicas: 1, ...res({}, { "example.com/gpu": "1" }) }),
  ),
  around(
    first("urgent by a spread constraint over others", zones(1, 1), {
      replicas: 1,
      pod: { ...urgent, nodeSelector: { grid: "CASE", [zone]: "zone-1" } },
      spread: [spread({ topologyKey: zone, nodeAffinityPolicy: "Ignore" }, { tier: "x" })],
      labels: { app: "web", tier: "x" },
    }),
    deployment({
      name: "db",
      labels: { app: "db", tier: "x" },
      replicas: 1,
      pod: { nodeSelector: { grid: "CASE", [zone]: "zone-1" } },
    }),
  ),
  around(
    first("more urgent than others that have some", plain(1), {
      replicas: 1,
      cpu: "20",
      pod: urgent,
    }),
    db({ replicas: 1, cpu: "20", pod: { priorityClassName: "grid-low" } }),
  ),
  around(
    first("urgent, too many for all nodes", plain(2), { replicas: 3, cpu: "20", pod: urgent }),
    db({ replicas: 2, cpu: "20", spread: dbSpread }),
  ),
  changed(
    "becomes low, apart",
    { apart: [apart()] },
    { apart: [apart()], pod: { priorityClassName: "grid-low" } },
  ),
  changed("was urgent, apart", { apart: [apart()], pod: urgent }, { apart: [apart()] }),
  stateful("becomes urgent and larger than a node", { cpu: "20" }, { cpu: "40", pod: urgent }),
  {
    name: "two of one deployment, one urgent evicts the other that fits elsewhere",
    nodes: plain(3),
    steps: [
      [
        deployment({ replicas: 1, cpu: "20", surge: 1, unavailable: 0 }),
        deployment({
          name: "api",
          labels: { app: "api" },
          replicas: 2,
          cpu: "20",
          spread: [spread({}, { app: "api" })],
        }),
      ],
      [
        deployment({ replicas: 1, cpu: "20", surge: 1, unavailable: 0, version: 2, pod: urgent }),
        deployment({
          name: "api",
          labels: { app: "api" },
          replicas: 2,
          cpu: "20",
          spread: [spread({}, { app: "api" })],
        }),
      ],
    ],
  },
  {
    name: "two of one deployment, one grows urgently over the other, which changes",
    nodes: plain(2),
    steps: [
      [
        deployment({ replicas: 1, cpu: "20" }),
        deployment({ name: "api", labels: { app: "api" }, replicas: 1, cpu: "20" }),
      ],
      [
        deployment({ replicas: 2, cpu: "20", version: 2, surge: 0, unavailable: 1, pod: urgent }),
        deployment({
          name: "api",
          labels: { app: "api" },
          replicas: 1,
          cpu: "20",
          version: 2,
          surge: 0,
          unavailable: 1,
        }),
      ],
    ],
  },
];

/** Changes by other users after the first deployment. */
const live: readonly GridCase[] = [
  {
    ...changed(
      "scaled by hand to none, back with the template, apart",
      { apart: [apart()] },
      { apart: [apart()] },
    ),
    meanwhile: [
      ["scale", "deployment/web", "--replicas=0"],
      ["rollout", "status", "deployment/web"],
    ],
  },
  {
    ...changed("paused by hand, not declared, apart", { apart: [apart()] }, { apart: [apart()] }),
    meanwhile: [["rollout", "pause", "deployment/web"]],
  },
  {
    ...changed(
      "a node is gone",
      { apart: [apart()] },
      { apart: [apart()], surge: 0, unavailable: 1 },
      plain(3),
    ),
    meanwhile: [["delete", "node", "CASE-node-3"]],
  },
  {
    name: "a DaemonSet's node loses its label, and gets a second template",
    nodes: plain(2, { labels: { pool: "x" } }),
    steps: [
      [daemonSet({ pod: { nodeSelector: { grid: "CASE", pool: "x" } }, cpu: "20" })],
      [daemonSet({ version: 2, pod: { nodeSelector: { grid: "CASE", pool: "x" } }, cpu: "40" })],
    ],
    meanwhile: [["label", "nodes", "-l", "grid=CASE", "pool-"]],
  },
];

export const evictionClasses = { evictions, live };

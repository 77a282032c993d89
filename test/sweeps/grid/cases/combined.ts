import {
  apart,
  byHash,
  type Fields,
  type GridCase,
  hostname,
  plain,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { changed, first, same, spread } from "../situations.ts";
import { byLabel, labelled, nodeAffinity } from "./pieces.ts";

const byZone = (options: Fields = {}) => apart({ topologyKey: zone, ...options });

/** Several terms that each count separately. */
const manyTerms: readonly GridCase[] = [
  same(
    "host by hash, zone plainly, 3 in zones 2 2 2",
    { apart: [apart(byHash), byZone()] },
    zones(2, 2, 2),
  ),
  same(
    "host by hash, zone plainly, 2 in zones 2 2 2",
    { replicas: 2, apart: [apart(byHash), byZone()] },
    zones(2, 2, 2),
  ),
  same(
    "host plainly, zone by hash, 3 in zones 2 2 2",
    { apart: [apart(), byZone(byHash)] },
    zones(2, 2, 2),
  ),
  changed(
    "zone term is taken away, host by hash stays",
    { replicas: 2, apart: [apart(byHash), byZone()] },
    { replicas: 2, apart: [apart(byHash)] },
    zones(2, 2),
  ),
  changed(
    "zone term is taken away, with a third zone",
    { replicas: 2, apart: [apart(byHash), byZone()] },
    { replicas: 2, apart: [apart(byHash)] },
    zones(2, 2, 1),
  ),
  changed(
    "a term on the next version only",
    { labels: { app: "web", v: "1" }, apart: [apart({}, { app: "web", v: "1" })] },
    { labels: { app: "web", v: "2" }, apart: [apart({}, { app: "web", v: "2" })] },
  ),
  changed(
    "a term on the version before",
    { labels: { app: "web", v: "1" } },
    { labels: { app: "web", v: "2" }, apart: [apart({}, { app: "web", v: "1" })] },
  ),
  changed(
    "old ones keep the next version away",
    { labels: { app: "web", v: "1" }, apart: [apart({}, { app: "web", v: "2" })] },
    { labels: { app: "web", v: "2" } },
  ),
  same(
    "a nameless node beside three, which affinity excludes",
    { pod: nodeAffinity([apart()], byLabel(hostname, "Exists")) },
    [...plain(3), { nameless: true }],
  ),
  same(
    "a nameless node beside three, which affinity admits",
    { pod: nodeAffinity([apart()], byLabel("grid.example/node", "Exists")) },
    [...plain(3), { nameless: true }],
  ),
  changed(
    "match by hash becomes mismatch by hash",
    { replicas: 2, apart: [apart(byHash)] },
    { replicas: 2, apart: [apart({ mismatchLabelKeys: ["pod-template-hash"] })] },
    plain(2),
  ),
  same(
    "together by zone and apart by host, one zone of 4",
    { apart: [apart()], together: [apart({ topologyKey: zone })] },
    zones(4, 4),
  ),
  same(
    "together by zone and apart by host, one zone of 3",
    { apart: [apart()], together: [apart({ topologyKey: zone })] },
    zones(3, 3),
  ),
  same(
    "together by zone by hash, apart by host, zones of 3",
    { apart: [apart()], together: [apart({ topologyKey: zone, ...byHash })] },
    zones(3, 3),
  ),
  changed(
    "new ones want old ones beside, surge",
    { replicas: 2, labels: { app: "web", v: "1" } },
    { replicas: 2, labels: { app: "web", v: "2" }, together: [apart({}, { app: "web", v: "1" })] },
  ),
  changed(
    "new ones want old ones beside, one fewer",
    { replicas: 2, surge: 0, unavailable: 1, labels: { app: "web", v: "1" } },
    {
      replicas: 2,
      surge: 0,
      unavailable: 1,
      labels: { app: "web", v: "2" },
      together: [apart({}, { app: "web", v: "1" })],
    },
  ),
];

/** Spread constraints combined with other rules. */
const manySpreads: readonly GridCase[] = [
  first(
    "spread with both policies over zones 1 1, one tainted, honoured",
    [...zones(1, 1), { tainted: true, labels: { [zone]: "zone-3" } }],
    { replicas: 4, spread: [spread({ topologyKey: zone, nodeTaintsPolicy: "Honor" })] },
  ),
  first(
    "spread over zones 1 1, one tainted, counted",
    [...zones(1, 1), { tainted: true, labels: { [zone]: "zone-3" } }],
    { replicas: 4, spread: [spread({ topologyKey: zone })] },
  ),
  first("minDomains 3 of 2 zones, skew 2, 4", zones(1, 1), {
    replicas: 4,
    spread: [spread({ topologyKey: zone, maxSkew: 2, minDomains: 3 })],
  }),
  first("minDomains 3 of 2 zones, skew 2, 5", zones(1, 1), {
    replicas: 5,
    spread: [spread({ topologyKey: zone, maxSkew: 2, minDomains: 3 })],
  }),
  first(
    "minDomains 3, the third only by ignored affinity",
    labelled({ [zone]: "a", pool: "x" }, { [zone]: "b", pool: "x" }, { [zone]: "c", pool: "y" }),
    {
      replicas: 2,
      pod: { nodeSelector: { grid: "CASE", pool: "x" } },
      spread: [spread({ topologyKey: zone, minDomains: 3, nodeAffinityPolicy: "Ignore" })],
    },
  ),
  first(
    "minDomains 3, the third only by ignored affinity, 3",
    labelled({ [zone]: "a", pool: "x" }, { [zone]: "b", pool: "x" }, { [zone]: "c", pool: "y" }),
    {
      replicas: 3,
      pod: { nodeSelector: { grid: "CASE", pool: "x" } },
      spread: [spread({ topologyKey: zone, minDomains: 3, nodeAffinityPolicy: "Ignore" })],
    },
  ),
  same(
    "spread without hash, minDomains above all, surge",
    { spread: [spread({ minDomains: 4 })] },
    plain(3),
  ),
  same(
    "spread with hash, minDomains above all, surge",
    { spread: [spread({ minDomains: 4, matchLabelKeys: ["pod-template-hash"] })] },
    plain(3),
  ),
  first("spread by zone with a host port, zones 3 1, 4", zones(3, 1), {
    replicas: 4,
    hostPort: 7002,
    spread: [spread({ topologyKey: zone })],
  }),
  first("spread by zone skew 2 with a host port, zones 3 1, 4", zones(3, 1), {
    replicas: 4,
    hostPort: 7002,
    spread: [spread({ topologyKey: zone, maxSkew: 2 })],
  }),
  first(
    "spread by zone and by arch, all of one arch but one full",
    [
      { labels: { [zone]: "a", arch: "x" } },
      { labels: { [zone]: "b", arch: "x" } },
      { labels: { [zone]: "a", arch: "y" }, allocatable: { cpu: "1" } },
    ],
    {
      replicas: 3,
      cpu: "2",
      spread: [spread({ topologyKey: zone }), spread({ topologyKey: "arch" })],
    },
  ),
  changed(
    "spread by zone, moved to another zone where old count",
    {
      pod: { nodeSelector: { grid: "CASE", [zone]: "zone-1" } },
      spread: [spread({ topologyKey: zone })],
    },
    {
      pod: { nodeSelector: { grid: "CASE", [zone]: "zone-2" } },
      spread: [spread({ topologyKey: zone })],
    },
    zones(1, 1),
  ),
  changed(
    "spread over all zones, then in one with policy Ignore",
    { spread: [spread({ topologyKey: zone })] },
    {
      pod: { nodeSelector: { grid: "CASE", [zone]: "zone-2" } },
      spread: [spread({ topologyKey: zone, nodeAffinityPolicy: "Ignore" })],
    },
    zones(1, 1),
  ),
  changed(
    "spread over all zones, then one in one with policy Ignore",
    { replicas: 1, spread: [spread({ topologyKey: zone })] },
    {
      replicas: 1,
      pod: { nodeSelector: { grid: "CASE", [zone]: "zone-2" } },
      spread: [spread({ topologyKey: zone, nodeAffinityPolicy: "Ignore" })],
    },
    zones(1, 1),
  ),
];

export const combinedClasses = { manyTerms, manySpreads };

import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
  rollout,
} from "../../../support/rollout-pieces.ts";
import { changed, daemon, same, stateful } from "../situations.ts";
import { around, res, runtime } from "./pieces.ts";

const urgent = { priorityClassName: "grid-urgent" };

/** Quotas with scopes, for kinds of objects, and with the usage of old and new Pods. */
const quotas: readonly GridCase[] = [
  around(
    same("a quota: pods 3 of those that don't end", {}),
    quota({ pods: "3" }, { scopes: ["NotTerminating"] }),
  ),
  around(
    changed("a quota: pods of a priority that they get, none", {}, { pod: urgent }),
    quota({ pods: "0" }, byClass("In", "grid-urgent")),
  ),
  around(
    changed(
      "a quota: pods of a priority that they get, two, one after the other",
      { unavailable: 1, surge: 0 },
      { pod: urgent, unavailable: 1, surge: 0 },
    ),
    quota({ pods: "2" }, byClass("In", "grid-urgent")),
  ),
  around(
    changed("a quota: pods of a priority that they get, three", {}, { pod: urgent }),
    quota({ pods: "3" }, byClass("In", "grid-urgent")),
  ),
  around(
    changed("a quota: pods without a priority, three", {}, { pod: urgent }),
    quota({ pods: "3" }, byClass("DoesNotExist")),
  ),
  around(
    changed(
      "a quota: affinity across namespaces, none",
      {},
      { apart: [apart({ namespaceSelector: {} }, { app: "other" })] },
    ),
    quota({ pods: "0" }, { scopes: ["CrossNamespacePodAffinity"] }),
  ),
  around(
    changed(
      "a quota: affinity across namespaces by name, none",
      {},
      { apart: [apart({ namespaces: ["default"] }, { app: "other" })] },
    ),
    quota({ pods: "0" }, { scopes: ["CrossNamespacePodAffinity"] }),
  ),
  around(
    changed(
      "a quota: affinity within the namespace, none across",
      {},
      { apart: [apart({}, { app: "other" })] },
    ),
    quota({ pods: "0" }, { scopes: ["CrossNamespacePodAffinity"] }),
  ),
  around(
    changed(
      "a quota: affinity across namespaces, three",
      { surge: 0, unavailable: 1 },
      { surge: 0, unavailable: 1, apart: [apart({ namespaceSelector: {} }, { app: "other" })] },
    ),
    quota({ pods: "3" }, { scopes: ["CrossNamespacePodAffinity"] }),
  ),
  around(
    changed(
      "a quota: affinity across namespaces, two",
      { surge: 0, unavailable: 1 },
      { surge: 0, unavailable: 1, apart: [apart({ namespaceSelector: {} }, { app: "other" })] },
    ),
    quota({ pods: "2" }, { scopes: ["CrossNamespacePodAffinity"] }),
  ),
  around(
    changed("a quota: not best effort from now on, three", {}, { cpu: "1" }),
    quota({ pods: "3" }, { scopes: ["NotBestEffort"] }),
  ),
  around(same("a quota: replica sets, one more", {}), quota({ "count/replicasets.apps": "2" })),
  around(same("a quota: replica sets, no more", {}), quota({ "count/replicasets.apps": "1" })),
  around(
    stateful("a quota: revisions, no more", {}, {}),
    quota({ "count/controllerrevisions.apps": "1" }),
  ),
  around(
    stateful("a quota: revisions, one more", {}, {}),
    quota({ "count/controllerrevisions.apps": "2" }),
  ),
  around(
    daemon("a quota: revisions, no more", {}, {}),
    quota({ "count/controllerrevisions.apps": "1" }),
  ),
  around(
    same(
      "a quota: an extended resource for as many, one more at a time",
      res({ "example.com/gpu": "1" }, { "example.com/gpu": "1" }),
      plain(4, { allocatable: { "example.com/gpu": "1" } }),
    ),
    quota({ "requests.example.com/gpu": "3" }),
  ),
  around(
    changed("a quota: smaller ones fit beside", res({ cpu: "2" }), res({ cpu: "1" })),
    quota({ "requests.cpu": "7" }),
  ),
  around(
    changed("a quota: smaller ones don't fit beside", res({ cpu: "2" }), res({ cpu: "1" })),
    quota({ "requests.cpu": "6500m" }),
  ),
  around(
    changed(
      "a quota: larger ones, one fewer at a time",
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1 },
      { ...res({ cpu: "2" }), surge: 0, unavailable: 1 },
    ),
    quota({ "requests.cpu": "6" }),
  ),
  around(
    changed(
      "a quota: larger ones, one fewer at a time, not all",
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1 },
      { ...res({ cpu: "2" }), surge: 0, unavailable: 1 },
    ),
    quota({ "requests.cpu": "5" }),
  ),
  around(
    changed(
      "a quota: fewer and larger",
      { ...res({ cpu: "1" }), replicas: 4 },
      { ...res({ cpu: "2" }), replicas: 2 },
    ),
    quota({ "requests.cpu": "4" }),
  ),
  around(
    changed(
      "a quota: fewer and larger, no room for one",
      { ...res({ cpu: "1" }), replicas: 4 },
      { ...res({ cpu: "3" }), replicas: 2 },
    ),
    quota({ "requests.cpu": "6" }),
  ),
  around(
    changed("a quota: with an init container that asks for more", res({ cpu: "1" }), {
      ...res({ cpu: "1" }),
      pod: {
        initContainers: [{ name: "init", image: "i:1", resources: { requests: { cpu: "4" } } }],
      },
    }),
    quota({ "requests.cpu": "6" }),
  ),
  around(
    changed(
      "a quota: with the overhead of a runtime",
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1 },
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1, pod: { runtimeClassName: "CASE" } },
    ),
    quota({ "requests.cpu": "5" }),
    runtime({ overhead: { podFixed: { cpu: "1" } } }),
  ),
  around(
    changed(
      "a quota: with the overhead of a runtime, enough",
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1 },
      { ...res({ cpu: "1" }), surge: 0, unavailable: 1, pod: { runtimeClassName: "CASE" } },
    ),
    quota({ "requests.cpu": "6" }),
    runtime({ overhead: { podFixed: { cpu: "1" } } }),
  ),
  around(
    stateful("a quota: one more than there are, grown by two", {}, { replicas: 5 }),
    quota({ pods: "4" }),
  ),
  around(
    {
      name: "a quota: a canary with one Pod more",
      nodes: plain(3),
      steps: [1, 2].map((version) => [
        rollout({ canary: { steps: [{ setWeight: 20 }] } }, { version }),
      ]),
    },
    quota({ pods: "3" }),
  ),
  around(
    {
      name: "a quota: a canary with room for one Pod more",
      nodes: plain(3),
      steps: [1, 2].map((version) => [
        rollout({ canary: { steps: [{ setWeight: 20 }] } }, { version }),
      ]),
    },
    quota({ pods: "4" }),
  ),
  {
    name: "a quota that is raised by the same deployment",
    nodes: plain(3),
    steps: [
      [quota({ pods: "3" }), deployment({ surge: 1, unavailable: 0 })],
      [quota({ pods: "4" }), deployment({ surge: 1, unavailable: 0, version: 2 })],
    ],
  },
  {
    name: "a quota that is lowered by the same deployment",
    nodes: plain(3),
    steps: [
      [quota({ pods: "4" }), deployment({ surge: 1, unavailable: 0 })],
      [quota({ pods: "3" }), deployment({ surge: 1, unavailable: 0, version: 2 })],
    ],
  },
];

export const quotaClasses = { quotas };

function quota(hard: Fields, more: Fields = {}, name = "most"): Fields {
  const kind = { apiVersion: "v1", kind: "ResourceQuota" };
  return { ...kind, metadata: { name }, spec: { hard, ...more } };
}

function byClass(operator: string, ...values: readonly string[]): Fields {
  const expression = { scopeName: "PriorityClass", operator };
  return {
    scopeSelector: { matchExpressions: [{ ...expression, ...(values.length > 0 && { values }) }] },
  };
}

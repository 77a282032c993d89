import { copy, set } from "../edits.ts";
import type { Batch, RealChange } from "../play-batch.ts";

const definitions = [
  "CustomResourceDefinition/destinationrules.networking.istio.io",
  "CustomResourceDefinition/virtualservices.networking.istio.io",
];

const rule = "DestinationRule/istio-subset-split-destrule";
const routes = "VirtualService/istio-host-split-vsvc";

const trafficChanges: readonly RealChange[] = [
  [
    "one way to balance",
    copy(rule, "balanced", ["spec.trafficPolicy.loadBalancer", { simple: "RANDOM" }]),
  ],
  [
    "two ways to balance",
    copy(rule, "both", [
      "spec.trafficPolicy.loadBalancer",
      { simple: "RANDOM", consistentHash: { useSourceIp: true } },
    ]),
  ],
  [
    "two ways to hash",
    copy(rule, "hashed", [
      "spec.trafficPolicy.loadBalancer",
      { consistentHash: { useSourceIp: true, httpHeaderName: "user" } },
    ]),
  ],
  [
    "an unknown way",
    copy(rule, "unknown", ["spec.trafficPolicy.loadBalancer", { simple: "FASTEST" }]),
  ],
  [
    "two targets of a redirect",
    copy(routes, "redirected", [
      "spec.http.0.redirect",
      { port: 443, derivePort: "FROM_REQUEST_PORT" },
    ]),
  ],
  [
    "one kind of a fault",
    copy(routes, "delayed", [
      "spec.http.0.fault",
      { delay: { fixedDelay: "5s", percentage: { value: 0.5 } } },
    ]),
  ],
  [
    "two kinds of one delay",
    copy(routes, "twice", [
      "spec.http.0.fault",
      { delay: { fixedDelay: "5s", exponentialDelay: "1s" } },
    ]),
  ],
  ["a weight that is text", copy(routes, "heavy", ["spec.http.0.route.0.weight", "half"])],
  [
    "an origin of two kinds",
    copy(routes, "origins", [
      "spec.http.0.corsPolicy",
      { allowOrigins: [{ exact: "a" }, { exact: "b", regex: "c" }] },
    ]),
  ],
  [
    "a number that is too large",
    copy(routes, "large", ["spec.http.0.route.0.weight", 3_000_000_000]),
  ],
];

/** Istio: CustomResourceDefinitions with many alternatives. */
export const traffic: readonly Batch[] = [
  {
    what: "traffic rules with their CustomResourceDefinitions",
    from: [
      { from: "kapp:examples/istio-v1.16.0/istio.yml", isNew: true, only: definitions },
      {
        from: "rollouts:test/e2e/istio/istio-subset-split.yaml",
        isNew: true,
        only: [
          "VirtualService/istio-subset-split-vsvc",
          "DestinationRule/istio-subset-split-destrule",
        ],
      },
      {
        from: "rollouts:test/e2e/istio/istio-host-split.yaml",
        isNew: true,
        only: ["VirtualService/istio-host-split-vsvc"],
      },
    ],
    changes: [["examples that are valid, beside new definitions"], ...trafficChanges],
  },
  {
    what: "changed traffic rules",
    from: [
      { from: "kapp:examples/istio-v1.16.0/istio.yml", only: definitions },
      {
        from: "rollouts:test/e2e/istio/istio-subset-split.yaml",
        only: [
          "VirtualService/istio-subset-split-vsvc",
          "DestinationRule/istio-subset-split-destrule",
        ],
      },
      {
        from: "rollouts:test/e2e/istio/istio-host-split.yaml",
        only: ["VirtualService/istio-host-split-vsvc"],
      },
    ],
    changes: trafficChanges,
  },
  {
    what: "traffic rules with changed CustomResourceDefinitions",
    from: [
      { from: "kapp:examples/istio-v1.12.2/istio.yml", only: definitions },
      {
        from: "rollouts:test/e2e/istio/istio-subset-split.yaml",
        only: [
          "VirtualService/istio-subset-split-vsvc",
          "DestinationRule/istio-subset-split-destrule",
        ],
      },
      { from: "kapp:examples/istio-v1.16.0/istio.yml", isNew: true, only: definitions },
    ],
    changes: [
      ["another version of the CustomResourceDefinitions"],
      ["a weight", set("VirtualService/istio-subset-split-vsvc", "spec.http.0.route.0.weight", 90)],
      [
        "a field that only the new version has",
        set("DestinationRule/istio-subset-split-destrule", "spec.workloadSelector", {
          matchLabels: { app: "web" },
        }),
      ],
    ],
  },
  {
    what: "damaged CustomResourceDefinitions",
    from: [{ from: "rollouts:test/e2e/crds/istio.yaml", isNew: true, only: definitions }],
    changes: [["descriptions that are cut into fields"]],
  },
];

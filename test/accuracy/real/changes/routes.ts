import { copy, insert, moveUp, remove, set } from "../edits.ts";
import type { Batch, RealChange } from "../play-batch.ts";

const gatewayApi = "apiextensions:test/integration/ratcheting_test_cases" as const;

/** Some examples have the same name. */
const numbered = (name: string, index: number) => `${name}-${index}`;

const addressed = "Gateway/gateway-addresses";

const addressChanges: readonly RealChange[] = [
  [
    "an address",
    copy(addressed, "four", ["spec.addresses", [{ type: "IPAddress", value: "192.0.2.1" }]]),
  ],
  [
    "a long address",
    copy(addressed, "six", ["spec.addresses", [{ type: "IPAddress", value: "2001:db8::1" }]]),
  ],
  [
    "a name for an address",
    copy(addressed, "none", ["spec.addresses", [{ type: "IPAddress", value: "web.example" }]]),
  ],
  [
    "an address out of range",
    copy(addressed, "range", ["spec.addresses", [{ type: "IPAddress", value: "192.0.2.256" }]]),
  ],
  [
    "a host",
    copy(addressed, "host", ["spec.addresses", [{ type: "Hostname", value: "web.example" }]]),
  ],
  [
    "an address by default",
    copy(addressed, "default", ["spec.addresses", [{ value: "192.0.2.1" }]]),
  ],
  [
    "no address by default",
    copy(addressed, "wrong", ["spec.addresses", [{ value: "web.example" }]]),
  ],
  ["a port that is too large", copy(addressed, "port", ["spec.listeners.0.port", 70_000])],
];

/**
 * Gateway API: its own valid and invalid examples, and CustomResourceDefinitions that become
 * stricter.
 */
export const routes: readonly Batch[] = [
  {
    what: "routes with their CustomResourceDefinitions",
    from: [
      { from: `${gatewayApi}/crds`, isNew: true },
      { from: `${gatewayApi}/valid`, isNew: true, named: numbered },
    ],
    changes: [["examples that are valid, beside new definitions"]],
  },
  {
    what: "invalid routes with their CustomResourceDefinitions",
    from: [
      { from: `${gatewayApi}/crds`, isNew: true },
      { from: `${gatewayApi}/invalid`, isNew: true, named: numbered },
    ],
    changes: [["examples that are not valid, beside new definitions"]],
  },
  {
    what: "invalid routes with existing CustomResourceDefinitions",
    from: [
      { from: `${gatewayApi}/crds` },
      { from: `${gatewayApi}/invalid`, isNew: true, named: numbered },
    ],
    changes: [["examples that are not valid"]],
  },
  {
    what: "changed routes",
    from: [
      { from: `${gatewayApi}/crds` },
      { from: `${gatewayApi}/valid/httproute.yaml` },
      { from: `${gatewayApi}/valid/simple-gateway/gateway.yaml` },
      { from: `${gatewayApi}/valid/basic-http.yaml`, named: numbered },
    ],
    changes: [
      ["a path", set("HTTPRoute/my-app", "spec.rules.0.matches.0.path.value", "/path")],
      ["a rule moved", moveUp("HTTPRoute/my-app", "spec.rules.2")],
      ["a default removed", remove("Gateway/prod-web", "spec.listeners.0.allowedRoutes")],
      [
        "a listener before the other",
        insert("Gateway/prod-web", "spec.listeners.0", {
          name: "more",
          port: 8080,
          protocol: "HTTP",
        }),
      ],
    ],
  },
  {
    what: "addresses with their CustomResourceDefinitions",
    from: [
      {
        from: `${gatewayApi}/crds`,
        isNew: true,
        only: ["CustomResourceDefinition/gateways.gateway.networking.k8s.io"],
      },
      { from: `${gatewayApi}/valid/gateway-addresses.yaml`, isNew: true },
    ],
    changes: addressChanges,
  },
  {
    what: "CustomResourceDefinitions that become stricter",
    from: [
      {
        from: `${gatewayApi}/crds`,
        only: ["CustomResourceDefinition/gateways.gateway.networking.k8s.io"],
      },
      { from: `${gatewayApi}/valid/simple-gateway/gateway.yaml`, only: ["Gateway/prod-web"] },
      { from: `${gatewayApi}/valid/wildcard-tls-gateway.yaml` },
    ],
    changes: [
      [
        "a list that may be shorter",
        ...["0", "1"].map((version) =>
          set(
            "CustomResourceDefinition/gateways.gateway.networking.k8s.io",
            `spec.versions.${version}.schema.openAPIV3Schema.properties.spec.properties.listeners.maxItems`,
            1,
          ),
        ),
      ],
      ["one item", set("Gateway/prod-web", "spec.listeners.0.port", 8080)],
      [
        "a field that is new",
        ...["0", "1"].map((version) =>
          set(
            "CustomResourceDefinition/gateways.gateway.networking.k8s.io",
            `spec.versions.${version}.schema.openAPIV3Schema.properties.spec.properties.note`,
            { type: "string", default: "none", maxLength: 8 },
          ),
        ),
        set("Gateway/prod-web", "spec.note", "short"),
      ],
    ],
  },
  {
    what: "CustomResourceDefinitions that become stricter than the live objects",
    from: [
      {
        from: `${gatewayApi}/crds`,
        only: ["CustomResourceDefinition/gateways.gateway.networking.k8s.io"],
      },
      { from: `${gatewayApi}/valid/simple-gateway/gateway.yaml`, only: ["Gateway/prod-web"] },
      { from: `${gatewayApi}/valid/gateway-addresses.yaml` },
    ],
    changes: [
      [
        "a text that may be shorter",
        ...["0", "1"].map((version) =>
          set(
            "CustomResourceDefinition/gateways.gateway.networking.k8s.io",
            `spec.versions.${version}.schema.openAPIV3Schema.properties.spec.properties.gatewayClassName.maxLength`,
            3,
          ),
        ),
      ],
      [
        "a port next to an unchanged string",
        set("Gateway/prod-web", "spec.listeners.0.port", 8080),
      ],
      [
        "another text that is too long",
        set("Gateway/gateway-addresses", "spec.gatewayClassName", "acme-gw"),
      ],
    ],
  },
];

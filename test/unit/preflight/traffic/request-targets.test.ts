import { expect, test } from "vitest";
import { reasonsText, type ServedWorkload } from "../rules/served-workload.ts";

const bare = { container: "env: []" };
const headless = "clusterIP: None, selector: {app: web}";
const ingress = `
app/ingress:
  apiVersion: networking.k8s.io/v1
  kind: Ingress
  metadata: {name: web}
  spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
`;

test.each<[string, ServedWorkload, string]>([
  ["has no selector", { ...bare, service: "type: ClusterIP" }, ""],
  ["selects other Pods", { ...bare, service: "selector: {app: other}" }, ""],
  [
    "is an alias",
    { ...bare, service: "type: ExternalName, externalName: x.test, selector: {app: web}" },
    "",
  ],
  [
    "serves peers before they are ready",
    { ...bare, service: "publishNotReadyAddresses: true, selector: {app: web}" },
    "",
  ],
  ["is headless", { ...bare, service: headless }, ""],
  [
    "is headless behind an Ingress",
    { ...bare, service: headless, more: ingress },
    "warning: no probe, no hook",
  ],
  [
    "is only for metrics",
    { ...bare, ports: "[{name: http-metrics, port: 80, targetPort: http}]" },
    "",
  ],
  [
    "has a port for metrics and one for clients",
    {
      ...bare,
      ports: "[{name: metrics, port: 81, targetPort: 81}, {name: web, port: 80, targetPort: 8080}]",
    },
    "warning: no probe, no hook",
  ],
  ["names a port that doesn't exist", { ...bare, ports: "[{port: 80, targetPort: gone}]" }, ""],
])("a Service that %s", (_, facts, expected) => {
  expect(reasonsText(facts)).toBe(expected);
});

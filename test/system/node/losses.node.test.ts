import { expect, test } from "vitest";
import { rollOutUnderLoad } from "../../support/node/roll-out.ts";
import { useNode } from "../../support/node/use-node.ts";

/** Rollouts without qvs: which Pod templates lose requests on a real node. */
const node = useNode();

const image = "registry.example/web:1.0.0";
const probe = "readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}";

const template = (pod: string) => `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      automountServiceAccountToken: false
      containers: [{name: web, image: ${image}, ${pod}}]
`;

/** The number of rollouts in which a request must be lost, because chance decides. */
const attempts = 4;

test.each([
  {
    name: "a preStop hook and a readiness probe lose none",
    pod: `${probe}, lifecycle: {preStop: {sleep: {seconds: 3}}}`,
    loses: false,
  },
  {
    name: "a server that ends at once without a preStop hook loses some",
    pod: `${probe}, env: [{name: ON_SIGTERM, value: exit}]`,
    loses: true,
  },
  {
    name: "a server that starts slowly without a readiness probe loses some",
    pod: "env: [{name: LISTEN_AFTER, value: 2s}], lifecycle: {preStop: {sleep: {seconds: 3}}}",
    loses: true,
  },
])("$name", async ({ pod, loses }) => {
  await node.image(image);
  const rollout = { manifests: template(pod), workload: "deployment/web", service: "web" };
  let load = await rollOutUnderLoad(node, rollout);
  for (let attempt = 2; loses && load.failed === 0 && attempt <= attempts; attempt += 1)
    load = await rollOutUnderLoad(node, rollout);
  expect({ loses: load.failed > 0 }, load.log).toEqual({ loses });
});

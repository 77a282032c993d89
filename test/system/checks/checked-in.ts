import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import type { AnsweringServer } from "../../support/servers/answering-server.ts";

export interface Checked extends Manifests {
  /** Replaces the checks of the config. */
  check(...checks: readonly unknown[]): void;
  /** Sets the checks of the entry in deployments.yaml. */
  checkEntry(...checks: readonly unknown[]): void;
  /** Creates a Service whose only endpoint is the server, on port 80. */
  serve(name: string, server: AnsweringServer): Promise<void>;
  /** Returns the names of the ConfigMaps that qvs manages. */
  configMaps(): Promise<readonly string[]>;
}

/** A deployment of manifests with checks. */
export async function checkedIn(cluster: TestCluster): Promise<Checked> {
  const demo = await manifestsIn(cluster);
  return {
    ...demo,
    check: (...checks) =>
      demo.write(
        ".valuestream/qvs.yaml",
        JSON.stringify({
          params: [
            { name: "appSetup", type: "object" },
            { name: "app", type: "object" },
          ],
          modules: [{ name: "demo.example/adapters", local: { path: "../adapters" } }],
          designPatterns: [
            {
              pattern: "demo.example/adapters/manifests",
              params: { appSetup: "$(params.appSetup)", app: "$(params.app)" },
            },
          ],
          checks,
        }),
      ),
    checkEntry: (...checks) =>
      demo.write(
        ".valuestream/deployments.yaml",
        JSON.stringify({ deployments: [{ name: "demo", config: "qvs.yaml", checks }] }),
      ),
    serve: (name, server) => serve(cluster, demo, name, server),
    configMaps: async () => {
      const selector = "vs.axis-dev.io/deployment=demo";
      const found = await demo.kubectl("get", "configmaps", "-l", selector, "-o", "name");
      return found.trim().split("\n").filter(Boolean);
    },
  };
}

/**
 * Creates a Service with an endpoint. The API server sends requests only to the address of a Pod in
 * the namespace, so there is a Pod with the address of the server.
 */
async function serve(
  cluster: TestCluster,
  { namespace, kubectl }: Manifests,
  name: string,
  { host, port }: AnsweringServer,
): Promise<void> {
  await cluster.apply(
    namespace,
    `
{apiVersion: v1, kind: Service, metadata: {name: ${name}}, spec: {ports: [{port: 80, targetPort: ${port}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, annotations: {test.qvs/behaviour: held}}
spec: {containers: [{name: main, image: "web:1"}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: ${name}, labels: {endpointslice.kubernetes.io/skip-mirror: "true"}}
subsets:
  - addresses: [{ip: ${host}, targetRef: {kind: Pod, name: ${name}, namespace: ${namespace}}}]
    ports: [{port: ${port}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{port: ${port}, name: ""}]
endpoints:
  - addresses: [${host}]
    targetRef: {kind: Pod, name: ${name}, namespace: ${namespace}}
`,
  );
  const status = { phase: "Running", podIP: host, podIPs: [{ ip: host }] };
  const patch = JSON.stringify({ status });
  await kubectl("patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch);
}

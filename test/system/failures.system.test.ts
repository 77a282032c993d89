import { expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { deployment } from "../support/cluster/workloads.ts";

/** Tests the messages for deployments that fail for reasons in the cluster. */
const cluster = useCluster();

const settings =
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {x: text}}\n---\n";

async function failing(demo: Manifests): Promise<string> {
  const { code, stderr } = await demo.qvs("deploy", "--timeout", "8s");
  expect(code, stderr).toBe(1);
  return stderr.replaceAll(demo.namespace, "NS").replaceAll(/web-[\da-f]+(-\w+)?/g, "web-POD");
}

test("a quota that rejects the Pods is reported once, however often the controller tries", async () => {
  const demo = await manifestsIn(cluster);
  await cluster.apply(
    demo.namespace,
    "{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: {pods: '1'}}}",
  );
  await demo.kubectl("wait", "--for=jsonpath={.status.hard.pods}=1", "resourcequota/small");
  demo.declare({ app: deployment("web", { replicas: 3 }) });
  const text = await failing(demo);
  expect(text).toContain('FailedCreate: pods "web-POD" is forbidden: exceeded quota: small');
  expect(text.slice(text.indexOf("\n  evidence:"))).toBe(`
  evidence:
    condition Available=False MinimumReplicasUnavailable: Deployment does not have minimum availability.
  help: Raise the quota of the namespace
  help: or request less

Current state:
  Deployment NS/web: 1/3 available, none of the previous version
`);
});

test("a quota and a policy that reject an object block the deployment before it begins", async () => {
  const demo = await manifestsIn(cluster);
  const { namespace } = demo;
  await cluster.apply(
    namespace,
    `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${namespace}}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps, secrets]}]
  validations:
    - expression: "!has(object.data) || !('x' in object.data)"
      messageExpression: "'x is ' + string(object.data.x)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${namespace}}
spec: {policyName: ${namespace}, validationActions: [Deny]}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: {services: '0'}}}
`,
  );
  await demo.kubectl("wait", "--for=jsonpath={.status.hard.services}=0", "resourcequota/small");
  demo.declare({
    app: `${settings}
{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {x: hunter2hunter2}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}`,
  });
  // A new policy is in effect only after a moment.
  await expect.poll(() => failing(demo), { interval: 1000 }).toContain("3 errors");
  const text = await failing(demo);
  expect(text).toContain(
    "answer: ValidatingAdmissionPolicy 'NS' with binding 'NS' denied request: x is text\n",
  );
  expect(text).toContain("ConfigMap NS/settings: an admission policy denies the request\n");
  expect(text).toContain(
    "answer: ValidatingAdmissionPolicy 'NS' with binding 'NS' denied request\n",
  );
  expect(text).toContain("Secret NS/login: an admission policy denies the request\n");
  expect(text).not.toContain("hunter2");
  expect(text).toContain("help: Change the object as the policy requires");
  expect(text).toMatch(
    /Service NS\/web: the quota of the namespace is exceeded\n(?: {2}--> .*\n)* {2}answer: .*exceeded quota: small.*\n {2}help: Raise the quota of the namespace/,
  );
  expect(text).toContain("Nothing was changed.");
  expect(await demo.writes()).toEqual([]);
});

test("a PersistentVolumeClaim without a possible volume is reported with the event and its reason", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({
    app: `${settings}
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, annotations: {vs.axis-dev.io/dependsOn: "core:ConfigMap::settings"}}
spec: {storageClassName: nowhere, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
{apiVersion: v1, kind: Service, metadata: {name: after, annotations: {vs.axis-dev.io/dependsOn: "core:PersistentVolumeClaim::data"}}, spec: {ports: [{port: 80}]}}`,
  });
  const text = await failing(demo);
  expect(text.slice(text.indexOf("\nerror[")).replace(/ \(\d+ times\)/, "")).toBe(`
error[volume-not-provisioned]: PersistentVolumeClaim NS/data: not ready after 8 s
  resource: persistentvolumeclaim-data
  status:   phase Pending, not bound to a volume yet
  evidence:
    event on PersistentVolumeClaim NS/data: ProvisioningFailed: storageclass.storage.k8s.io "nowhere" not found
  help: Correct storageClassName of the PersistentVolumeClaim
  help: or create the StorageClass in the cluster

Current state:
  not created: Service NS/after
`);
});

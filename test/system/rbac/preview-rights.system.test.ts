import { expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";

/**
 * Tests previews of identities with few permissions. They distinguish requests that the cluster
 * denies to everyone from those that only this identity isn't allowed to send.
 */
const cluster = useCluster();

const reading = `- {apiGroups: [""], resources: [secrets, configmaps], verbs: [list]}
- {apiGroups: [apps, rbac.authorization.k8s.io], resources: [deployments, roles], verbs: [list]}`;

async function allow({ namespace }: Manifests, rules: string): Promise<void> {
  await cluster.apply(
    namespace,
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: previewer}
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: previewer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: previewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: previewer}]
`,
  );
}

const role = (verbs: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [secrets], verbs: [${verbs}]}]
`;

test("permissions that this identity can't grant are denied, and not reported as missing", async () => {
  const shop = await manifestsIn(cluster);
  await allow(
    shop,
    `${reading}\n- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [create, patch]}`,
  );
  shop.declare({ app: role("get") });
  const { code, stdout, stderr } = await shop.qvsAs("previewer", "diff");
  expect(code, stdout).toBe(1);
  expect(stdout).toContain(`+ create Role ${shop.namespace}/reader (rejected, see below)`);
  expect(stderr).toContain("is attempting to grant RBAC permissions not currently held");
  shop.declare({ app: role("list") });
  const allowed = await shop.qvsAs("previewer", "diff");
  expect(allowed.code, allowed.stderr).toBe(0);
});

test("a forbidden dry-run is a note, and the preview still shows what an update removes", async () => {
  const shop = await manifestsIn(cluster);
  const config = (data: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: ${data}
`;
  const web = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "${image}", env: [{name: GOES, value: a}, {name: STAYS, value: b}]}]}
`;
  shop.declare({ app: `${config("{kept: x, gone: z}")}---${web("web:1")}` });
  expect((await shop.qvs("deploy")).code).toBe(0);
  await allow(shop, reading);
  const changed = web("web:2").replace("{name: GOES, value: a}, ", "");
  shop.declare({ app: `${config("{kept: x}")}---${changed}` });
  const { code, stdout, stderr } = await shop.qvsAs("previewer", "diff");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n").map((line) => line.trim());
  expect(lines).toContain("-gone: z");
  expect(stdout).toMatch(/-\s+image: web:1\n/);
  expect(stdout).toMatch(/-\s+- name: GOES\n/);
  expect(stdout).toContain("]: This identity lacks permissions in namespace ");
  expect(stdout).toContain('- {apiGroups: [""], resources: [pods], verbs: [create]}');
  expect(stdout).toContain("cannot patch resource");
});

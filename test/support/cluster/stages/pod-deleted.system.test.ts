import { expect, test } from "vitest";
import { useCluster } from "../use-cluster.ts";

const cluster = useCluster();

const set = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: db, image: "db:1"}]}
`;

test("kwok doesn't delete a Pod without grace period, so it can't delete its successor", async () => {
  const namespace = await cluster.namespace();
  const kubectl = (...args: readonly string[]) => cluster.kubectl("-n", namespace, ...args);
  const isReady = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  const becomesReady = () => expect.poll(() => kubectl("get", "pods", "-o", isReady)).toBe("True");
  await cluster.apply(namespace, set);
  for (let round = 1; round <= 5; round += 1) {
    await becomesReady();
    await kubectl("delete", "pod", "db-0", "--wait=false");
  }
  await becomesReady();
  const deletions = (await cluster.auditLogSoFar())
    .split("\n")
    .filter((line) => line.includes(`/namespaces/${namespace}/pods/db-0`))
    .map((line) => JSON.parse(line))
    .filter(({ verb }) => verb === "delete");
  expect(deletions.filter(({ user }) => user.username === "kwok")).toEqual([]);
  expect(deletions).toHaveLength(5);
});

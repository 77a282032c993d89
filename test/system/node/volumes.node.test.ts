import { expect, test } from "vitest";
import { deployed } from "../../support/cluster/manifests-in.ts";
import { databaseImages, databaseOn } from "../../support/node/database.ts";
import { useNode } from "../../support/node/use-node.ts";
import { killAfterWrite } from "../../support/qvs/kill-after-write.ts";

/**
 * The volumes of a StatefulSet grow while requests are sent. Only the Pods of a changed template
 * restart, and each keeps its data.
 */
const node = useNode();

const [old, latest] = databaseImages;

test("volumes grow without a restarted container and without a lost request", async () => {
  const { demo, ...db } = await databaseOn(node, 2);
  db.declare({ gi: 1 });
  await deployed(demo);
  const before = await db.pods();
  expect(before).toHaveLength(2);
  db.declare({ gi: 2 });
  const load = await db.growUnderLoad(2, () => deployed(demo));
  expect(load.failed, load.log).toBe(0);
  const owner = await db.uid();
  expect(owner).not.toBe(before[0]?.owner);
  expect(await db.pods()).toEqual(before.map((pod) => ({ ...pod, owner })));
});

test("volumes grow and the template changes: each Pod restarts once and keeps its data", async () => {
  const { demo, ...db } = await databaseOn(node, 2);
  db.declare({ gi: 1 });
  await deployed(demo);
  const [before, claims] = await Promise.all([db.pods(), db.claims()]);
  db.declare({ gi: 2, image: latest });
  const load = await db.growUnderLoad(2, () => deployed(demo));
  expect(load.failed, load.log).toBe(0);
  expect(load.requests).toBeGreaterThan(500);
  const owner = await db.uid();
  expect(await db.pods()).toEqual(
    before.map((pod) => ({ ...pod, image: latest, container: expect.any(String), owner })),
  );
  expect(await db.createdPods()).toBe(4);
  expect(await db.claims()).toEqual(claims.map((claim) => claim.replace(/1Gi$/, "2Gi")));
});

test("volumes grow during a partitioned rollout: only the Pods above the partition change", async () => {
  const { demo, ...db } = await databaseOn(node, 3);
  db.declare({ gi: 1 });
  await deployed(demo);
  const first = await db.pods();
  const steps = [
    { gi: 2, image: latest, partition: 2, images: [old, old, latest], created: 4 },
    { gi: 3, image: latest, partition: 2, images: [old, old, latest], created: 4 },
    { gi: 4, image: latest, partition: 1, images: [old, latest, latest], created: 5 },
    { gi: 5, image: latest, partition: 0, images: [latest, latest, latest], created: 6 },
  ];
  for (const { images, created, ...version } of steps) {
    const before = await db.pods();
    db.declare(version);
    const load = await db.growUnderLoad(version.gi, () => deployed(demo));
    expect(load.failed, load.log).toBe(0);
    const after = await db.pods();
    expect(after.map(({ image }) => image)).toEqual(images);
    expect(after.map(({ data }) => data)).toEqual(first.map(({ data }) => data));
    const same = before.filter(({ image }, index) => image === images[index]);
    expect(after).toEqual(
      expect.arrayContaining(same.map((pod) => ({ ...pod, owner: after[0]?.owner }))),
    );
    expect(await db.createdPods()).toBe(created);
  }
});

test("killed after any write, the next run restarts each Pod once and loses no request", async () => {
  const { demo, ...db } = await databaseOn(node, 2);
  db.declare({ gi: 1, image: old });
  await deployed(demo);
  const first = await db.pods();
  const killedAt: (string | undefined)[] = [];
  for (let nth = 1; !killedAt.includes(undefined); nth += 1) {
    const version = { gi: nth + 1, image: nth % 2 === 0 ? old : latest };
    const created = await db.createdPods();
    db.declare(version);
    const load = await db.growUnderLoad(version.gi, async () => {
      killedAt.push(await killAfterWrite(node, demo, nth));
      await deployed(demo);
    });
    const place = `killed after ${killedAt.at(-1)}`;
    console.log(`${place}: ${load.failed} of ${load.requests} requests failed`);
    expect(load.failed, `${place}\n${load.log}`).toBe(0);
    const owner = await db.uid();
    const { image } = version;
    expect(await db.pods(), place).toEqual(
      first.map((pod) => ({ ...pod, image, container: expect.any(String), owner })),
    );
    expect(await db.createdPods(), place).toBe(created + 2);
  }
  expect(killedAt).toEqual(
    expect.arrayContaining([
      "apply persistentvolumeclaims/data-db-0",
      "apply persistentvolumeclaims/data-db-1",
      "delete statefulsets/db",
      "apply statefulsets/db",
    ]),
  );
});

import { expect, it } from "vitest";
import { noPaint } from "../../../../src/redaction/terminal.ts";
import type { DeployProgress } from "../../../../src/report/terminal/deploy-progress.ts";
import { renderLive } from "../../../../src/report/terminal/render-live.ts";
import {
  applying,
  nameOf,
  progressAfter,
  ready,
  waiting,
} from "../../../support/report/terminal-events.ts";

function render(progress: DeployProgress, now: number, columns = 80, rows = 24): string {
  return renderLive(progress, now, { columns, rows, paint: noPaint, nameOf });
}

it("active objects are shown with time and reason, and finished ones are folded", () => {
  const progress = progressAfter(
    { type: "planned", upserts: 3, deletions: 1, unchanged: 2 },
    { type: "recorded", revision: 12 },
    { type: "stage-started", stage: "appSetup" },
    applying("configmap shop/a"),
    ready("configmap shop/a"),
    { type: "stage-started", stage: "app" },
    applying("service shop/web"),
    ready("service shop/web"),
    applying("deployment shop/web"),
    { type: "applied", key: "deployment shop/web", action: "create" },
    waiting("deployment shop/web", "new 1/3, 2 ready"),
  );
  expect(render(progress, 80_000)).toBe(`\
Deploying release 12 · 2 of 6 done · 1m 20s
appSetup  1 created
app
├─ ⠋ DEPLOYMENT SHOP/WEB  1m 11s  new 1/3, 2 ready
└─ 1 created`);
});

it("the time limit is that of the run, or the object's own", () => {
  const progress = progressAfter(
    { type: "planned", upserts: 2, deletions: 0, unchanged: 0, timeoutMs: 600_000 },
    applying("a"),
    waiting("a", "new 1/3"),
    applying("b"),
    { type: "waiting", key: "b", why: "new 1/3", timeoutMs: 90_000 },
  );
  const lines = render(progress, 80_000).split("\n");
  expect(lines.find((line) => line.includes(" A "))).toContain("/10m ");
  expect(lines.find((line) => line.includes(" B "))).toContain("/1m 30s ");
});

it("a failure stays visible, even with room for only one object", () => {
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    applying("a"),
    applying("b"),
    applying("c"),
    { type: "failed", key: "c", why: "it crashed" },
  );
  expect(render(progress, 10_000, 80, 5)).toBe(`\
Deploying · 1 done · 10s
app
├─ ✖ C  1s  failed: it crashed
└─ 2 more applying`);
});

it("a long name is cut only if the line has no space for it", () => {
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    applying("configmap shop-staging/shop-settings-5d51df72b0"),
    waiting("deployment shop-staging/the-one-that-has-a-long-name", "new 1/3, old 3, 3 of 4 ready"),
  );
  expect(render(progress, 5000)).toBe(`\
Deploying · 0 done · 5s
app
├─ ⠋ CONFIGMAP SHOP-STAGING/SHOP-SETTINGS-5D51DF72B0  3s  creating
└─ ⠋ DEPLOYMENT SHOP-STAGING/THE-ONE-THAT-HAS…  2s  new 1/3, old 3, 3 of 4 ready`);
});

it("a narrow terminal cuts lines instead of wrapping them", () => {
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    waiting("deployment shop/a-very-long-name-indeed", "new 1/3, 0 ready"),
  );
  const lines = render(progress, 5000, 40).split("\n");
  expect(lines).toEqual([
    "Deploying · 0 done · 5s",
    "app",
    "└─ ⠋ DEPLOYMENT SHOP/A-V…  3s  new 1/3,…",
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});

it.each([8, 12, 24])("300 objects fit %i rows", (rows) => {
  const events = Array.from({ length: 300 }, (_, index) => applying(`object ${index}`));
  const progress = progressAfter({ type: "stage-started", stage: "app" }, ...events);
  expect(render(progress, 1000, 80, rows).split("\n").length).toBeLessThan(rows);
});

it("deletions have their own section, and a blocked one shows the reason", () => {
  const progress = progressAfter(
    { type: "deleting", key: "claim" },
    waiting("claim", "held by the finalizers kubernetes.io/pvc-protection"),
  );
  expect(render(progress, 2000)).toBe(`\
Deploying · 0 done · 2s
deletions
└─ ⠋ CLAIM  1s  deleting: held by the finalizers kubernetes.io/pvc-protection`);
});

it("text of the cluster can't move the cursor or add lines", () => {
  const progress = progressAfter(waiting("a", "\u001b[2Jevil\n::error::\u202egnp"));
  expect(render(progress, 1000)).toBe(`\
Deploying · 0 done · 1s
└─ ⠋ A  0s  \\u001b[2Jevil ::error::\\u202egnp`);
});

it("the action on an object is shown: replaced, or adopted from other managers", () => {
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    { type: "applying", key: "job", action: "replace" },
    { type: "applying", key: "web", action: "update", transfers: ["kubectl", "helm"] },
  );
  expect(render(progress, 3000)).toBe(`\
Deploying · 0 done · 3s
app
├─ ⠋ JOB  1s  replacing
└─ ⠋ WEB  0s  taking ownership from kubectl, helm`);
});

it("the headline shows the steps before the plan and the cancellation", () => {
  const compiling = progressAfter({ type: "preparing", step: "compiling" });
  expect(render(compiling, 2000)).toBe("Compiling · 2s");
  const stopping = progressAfter(
    { type: "planned", upserts: 1, deletions: 0, unchanged: 0 },
    { type: "stopping" },
  );
  expect(render(stopping, 2000)).toBe(
    "Canceling, press Ctrl-C again to stop immediately · 0 of 1 done · 2s",
  );
});

const stuck = (key: string) =>
  waiting(key, "new 1/3, 2 ready; Pod web-1: Unschedulable: 0/3 nodes are available", true);

it("a reason that doesn't fit next to its object is below it", () => {
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    stuck("deployment shop/web"),
    stuck("deployment shop/api"),
  );
  expect(render(progress, 3000, 60)).toBe(`\
Deploying · 0 done · 3s
app
├─ ⠋ DEPLOYMENT SHOP/WEB  1s  new 1/3, 2 ready
│    Pod web-1: Unschedulable: 0/3 nodes are available
└─ ⠋ DEPLOYMENT SHOP/API  0s  new 1/3, 2 ready
     Pod web-1: Unschedulable: 0/3 nodes are available`);
});

it.each([8, 24])("reasons on their own lines displace no object from %i lines", (rows) => {
  const events = Array.from({ length: 12 }, (_, index) => stuck(`object ${index}`));
  const progress = progressAfter({ type: "stage-started", stage: "app" }, ...events);
  const lines = render(progress, 1000, 60, rows).split("\n");
  expect(lines.length).toBeLessThan(rows);
  expect(lines.filter((line) => line.includes("OBJECT"))).toHaveLength(Math.min(12, rows - 4));
});

it("failing objects are listed before slow ones, and the reason before the name of the Pod", () => {
  const events = Array.from({ length: 40 }, (_, index) => waiting(`object ${index}`, "0/1 ready"));
  const progress = progressAfter(
    { type: "stage-started", stage: "app" },
    ...events,
    ...[38, 39].map((index) =>
      waiting(`object ${index}`, "0/1 ready; Pod web-1: container web: ImagePullBackOff", true),
    ),
  );
  expect(render(progress, 41_000, 60, 9)).toBe(`\
Deploying · 0 done · 41s
app
├─ ⠋ OBJECT 0  39s  0/1 ready
├─ ⠋ OBJECT 38  1s  0/1 ready
│    Pod web-1: container web: ImagePullBackOff
├─ ⠋ OBJECT 39  0s  0/1 ready
│    Pod web-1: container web: ImagePullBackOff
└─ 37 more waiting`);
  expect(render(progress, 41_000, 60, 6)).toBe(`\
Deploying · 0 done · 41s
app
├─ ⠋ OBJECT 38  1s  0/1 ready; container web: ImagePullBack…
├─ ⠋ OBJECT 39  0s  0/1 ready; container web: ImagePullBack…
└─ 38 more waiting`);
});

it("a wait for the lock shows only the lock's holder", () => {
  const progress = progressAfter(
    { type: "preparing", step: "compiling" },
    { type: "lock-waiting", holder: "run 7" },
  );
  expect(render(progress, 2000)).toBe("Waiting for the deployment lock, held by run 7 · 2s");
});

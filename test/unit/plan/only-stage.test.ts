import { expect, test } from "vitest";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { keyOf } from "../../../src/model/object.ts";
import { computeDesired } from "../../../src/plan/compute-desired.ts";
import { chooseStage } from "../../../src/plan/only-stage.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { finalInventory } from "../../../src/releases/inventory.ts";
import { declare, problemText, shown, text } from "../../support/plan/declare.ts";
import { appliedFrom } from "../../support/plan/live.ts";
import {
  inventoryFrom,
  planOf,
  planText,
  rulesOf,
  type Situation,
} from "../../support/plan/plan-text.ts";

function check(situation: Situation, expected: string): void {
  expect(planText(planOf(situation))).toBe(text(expected));
}

const config = (path: string, value = "text") => {
  const name = path.slice(path.indexOf("/") + 1);
  return `${path}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n`;
};

const pod = (configMap: string, value = "1") => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: web, image: "web:${value}", envFrom: [{configMapRef: {name: ${configMap}}}]}]}}}
`;

const both = config("appSetup/settings") + pod("settings");

test("qvs writes only the requested stage and waits for its dependencies in the other stage", () => {
  check(
    {
      before: both,
      declared: config("appSetup/settings", "new") + pod("settings", "2"),
      onlyStage: "app",
    },
    `
    update Deployment shop/web (app, server)
    await ConfigMap shop/settings
    `,
  );
  check(
    {
      before: both,
      declared: config("appSetup/settings", "new") + pod("settings", "2"),
      onlyStage: "appSetup",
    },
    `update ConfigMap shop/settings (appSetup, server)`,
  );
});

test("dependencies of the stage in the other stage must exist in the cluster", () => {
  check(
    { before: both, declared: config("appSetup/other") + pod("other"), onlyStage: "app" },
    `
    Deployment shop/web needs ConfigMap shop/other, which doesn't exist
      dependency: its Pods use this ConfigMap
      why: Only app is deployed, and ConfigMap shop/other is in appSetup
      → Deploy appSetup first
        or deploy both stages without --only-stage
    `,
  );
});

test("a value of a live object in the other stage is resolved", () => {
  const live = appliedFrom(config("appSetup/settings"));
  const observed = { live, history: objectHistory(emptyHistory) };
  const declared = declare(config("appSetup/settings") + config("app/reads"));
  const desired = computeDesired(declared, observed, rulesOf());
  if (!desired.ok) throw new Error(problemText(desired.problems));
  const on = declared.find(({ stage }) => stage === "appSetup")?.key ?? "";
  const ip = { on, path: ["status", "ip"], text: "settings.status.ip", secret: false };
  const late = [
    {
      path: ["data", "x"],
      pieces: ["at ", ip],
      base64: false,
      awaits: undefined,
      secretValues: { declared: [], live: [] },
    },
  ];
  const objects = desired.value.objects.map((each) =>
    each.stage === "app" ? { ...each, applyTimeReferences: late } : each,
  );
  const all = { deployment: "shop-test", objects };
  const chosen = chooseStage("app", all, new Map(), live);
  expect(shown(chosen, () => "")).toBe(`\
ConfigMap shop/reads: $(ref.settings.status.ip) refers to an object of the other stage
  why: qvs reads live values only from objects that this run deploys
  → Deploy both stages without --only-stage`);
});

test("qvs deletes nothing if only appSetup is deployed, because app might still use it", () => {
  check(
    {
      before: config("appSetup/old") + config("app/gone"),
      declared: config("appSetup/new"),
      onlyStage: "appSetup",
    },
    `
    create ConfigMap shop/new (appSetup, server)
    keep ConfigMap shop/gone (only one stage: only appSetup is deployed)
    keep ConfigMap shop/old (only one stage: app isn't deployed now and might still use it)
    `,
  );
});

const stays = config("appSetup/stays") + config("app/kept");

test("qvs deletes undeclared objects of app only, if only app is deployed", () => {
  check(
    {
      before: stays + config("appSetup/old") + config("app/gone"),
      declared: stays,
      onlyStage: "app",
    },
    `
    unchanged ConfigMap shop/kept (app, comparison)
    delete ConfigMap shop/gone (app)
    keep ConfigMap shop/old (only one stage: only app is deployed)
    `,
  );
});

test("qvs deletes nothing of app while appSetup has pending changes", () => {
  check(
    {
      before: stays + config("app/gone"),
      declared: stays.replace("text", "new"),
      onlyStage: "app",
    },
    `
    unchanged ConfigMap shop/kept (app, comparison)
    keep ConfigMap shop/gone (only one stage: appSetup isn't deployed now and has pending changes)
    `,
  );
});

test("an object that moved to the other stage is neither deleted nor forgotten", () => {
  const before = config("app/moved") + config("app/kept");
  const declared = config("appSetup/moved") + config("app/kept");
  check({ before, declared, onlyStage: "app" }, `unchanged ConfigMap shop/kept (app, comparison)`);
});

test("the inventory keeps everything that one stage didn't delete", () => {
  const before = stays + config("app/gone") + config("app/moved");
  const declared = stays + config("appSetup/moved");
  const plan = planOf({ before, declared, gone: [], onlyStage: "app" });
  if (!plan.ok) throw new Error(planText(plan));
  const deleted = { key: "core:ConfigMap::shop/gone", outcome: "deleted", detail: "" } as const;
  const left = finalInventory(inventoryFrom(before), plan.value, [deleted]);
  expect(left.map(({ id, stage }) => `${stage} ${keyOf(id)}`)).toEqual([
    "app core:ConfigMap::shop/kept",
    "app core:ConfigMap::shop/moved",
    "appSetup core:ConfigMap::shop/stays",
  ]);
});

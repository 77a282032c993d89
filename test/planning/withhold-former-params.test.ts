import { expect, test } from "vitest";
import type { KubeObject } from "../../src/model/object.ts";
import { withholdFormerParams } from "../../src/planning/withhold-former-params.ts";
import { shownChange } from "../../src/redaction/shown-change.ts";
import type { RecordedReleases } from "../../src/releases/store.ts";
import { planned, shopPlan, shopRelease } from "../support/shop-report.ts";

const web = (args: readonly string[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: { args: [...args] },
});

function shownOf(desired: readonly string[], live: readonly string[]): string {
  const former = shopRelease([]);
  const inputConfig = { ...former.inputConfig, params: { dbPassword: "hunter2-former" } };
  const releases = [{ ...former, inputConfig }];
  const change = {
    ...planned("app", "web", web(desired), web(live)),
    action: "update" as const,
    predicted: web(desired),
  };
  const plan = withholdFormerParams({
    executable: false,
    plan: { ...shopPlan(), changes: [change] },
    recorded: { releases, unreadable: [], next: 2 } as unknown as RecordedReleases,
    blockers: [],
    findings: [],
  }).plan;
  const [shown] = plan?.changes ?? [];
  if (shown === undefined) throw new Error("it is planned");
  return JSON.stringify(shownChange(shown, []));
}

test("the former value of a secret param is shown in no preview, wherever it stood", () => {
  const shown = shownOf(["--db=hunter2-now"], ["--size=1", "--db=hunter2-former"]);
  expect(shown).not.toContain("hunter2-former");
  expect(shown).toContain('["--size=1","(hidden)"]');
});

test("what the manifest says itself is shown, so that no guess is confirmed", () => {
  const shown = shownOf(["hunter2-former", "--size=2"], ["--size=1", "--db=other"]);
  expect(shown).toContain('["hunter2-former","--size=2"]');
});

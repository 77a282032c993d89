import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textAt } from "../../../../src/model/json.ts";
import { cdEvent } from "../../../../src/report/notifications/cd-event.ts";
import type {
  Notification,
  NotifiedRun,
} from "../../../../src/report/notifications/notification.ts";
import { expectValidEvent } from "../../../support/notifications/event-schema.ts";

const docsPage = "../../../../docs/integrate/notifications.md";

const run: NotifiedRun = {
  server: "https://github.com",
  repository: "Acme/Shop",
  id: "42",
  attempt: "2",
  url: "https://github.com/Acme/Shop/actions/runs/42",
  at: "2026-05-04T10:00:00.000Z",
};
const deployment = { name: "shop-prod", namespace: "shop", environment: "production" };
const deployed: Notification = {
  kind: "deploy",
  outcome: "deployed",
  result: "success",
  effect: "upgraded",
  deployment,
  commit: "c0ffee",
  release: 7,
  changes: { create: 1, update: 2, replace: 0, delete: 3 },
  digest: "3f1c",
};

test("a deployment is an event of a service with its environment and artifact", () => {
  const event = cdEvent(deployed, run);
  expectValidEvent(event);
  expect(event).toEqual({
    specversion: "1.0",
    id: "42/2/deploy/upgraded/shop/shop-prod/production/-",
    source: "https://github.com/Acme/Shop",
    type: "dev.cdevents.service.upgraded.0.3.0",
    subject: "shop/shop-prod",
    time: "2026-05-04T10:00:00.000Z",
    datacontenttype: "application/cdevents+json",
    data: {
      context: {
        specversion: "0.5.1",
        id: "42/2/deploy/upgraded/shop/shop-prod/production/-",
        source: "https://github.com/Acme/Shop",
        type: "dev.cdevents.service.upgraded.0.3.0",
        timestamp: "2026-05-04T10:00:00.000Z",
      },
      subject: {
        id: "shop/shop-prod",
        source: "https://github.com/Acme/Shop",
        content: {
          environment: { id: "production" },
          artifactId: "pkg:github/acme/shop@c0ffee",
        },
      },
      customData: {
        version: 1,
        kind: "deploy",
        outcome: "deployed",
        deployment: "shop-prod",
        namespace: "shop",
        environment: "production",
        commit: "c0ffee",
        release: 7,
        digest: "3f1c",
        changes: { create: 1, update: 2, replace: 0, delete: 3 },
        run: "https://github.com/Acme/Shop/actions/runs/42",
        attempt: 2,
      },
      customDataContentType: "application/json",
    },
  });
});

test("the payload in the documentation is the event of a deployment", () => {
  const page = readFileSync(join(import.meta.dirname, docsPage), "utf8");
  const [, json = ""] = /^```json\n([\s\S]*?)^```/m.exec(page) ?? [];
  const commit = "6f1d2c3b4a596877a6b5c4d3e2f1a0b9c8d7e6f5";
  const changes = { create: 1, update: 2, replace: 0, delete: 1 };
  const shown = { ...deployed, commit, changes, digest: "3f1c8e5d" };
  const url = "https://github.com/acme/shop/actions/runs/9042";
  const shownRun = { ...run, repository: "acme/shop", id: "9042", attempt: "1", url };
  expect(JSON.parse(json)).toEqual(cdEvent(shown, shownRun));
});

test.each(["deployed", "upgraded", "rolledback", "removed"] as const)(
  "the event %s follows its schema",
  (effect) => {
    const event = cdEvent({ ...deployed, effect }, run);
    expectValidEvent(event);
    expect(event["type"]).toBe(`dev.cdevents.service.${effect}.0.3.0`);
  },
);

test.each(["success", "failure", "cancel", "error"] as const)(
  "a run without an effect is a finished task: %s",
  (result) => {
    const failed = { ...deployed, effect: undefined, result, errors: ["not-ready", "immutable"] };
    const event = cdEvent(failed, run);
    expectValidEvent(event);
    expect(event["data"]).toMatchObject({
      subject: {
        content: {
          taskName: "qvs deploy",
          uri: run.url,
          pipelineRun: { id: "42" },
          outcome: result,
          errors: "not-ready, immutable",
        },
      },
      customData: { errors: ["not-ready", "immutable"] },
    });
  },
);

test("a run without deployments and without GitHub's addresses has a valid event", () => {
  const event = cdEvent(
    { kind: "preview", outcome: "blocked", result: "failure", commit: undefined },
    { ...run, url: undefined },
  );
  expectValidEvent(event);
  expect(event["id"]).toBe("42/2/preview/-/-/-/-/-");
});

test("a server of its own is a qualifier of the artifact", () => {
  const event = cdEvent(deployed, { ...run, server: "https://github.acme.example" });
  expect(textAt(event, "data", "subject", "content", "artifactId")).toBe(
    "pkg:github/acme/shop@c0ffee?repository_url=https%3A%2F%2Fgithub.acme.example",
  );
});

test("a commit from a forged record is encoded", () => {
  const event = cdEvent({ ...deployed, commit: "\ud800?x#y" }, run);
  expectValidEvent(event);
  expect(textAt(event, "data", "subject", "content", "artifactId")).toBe(
    "pkg:github/acme/shop@%EF%BF%BD%3Fx%23y",
  );
});

test("the ID differs by attempt, kind, effect and deployment, also with hostile names", () => {
  const id = (changes: Partial<Notification>, attempt = "2") =>
    cdEvent({ ...deployed, ...changes }, { ...run, attempt })["id"];
  const named = (changes: object) => id({ deployment: { ...deployment, ...changes } });
  const all = [
    id({}),
    id({}, "3"),
    id({ kind: "rollback" }),
    id({ effect: "rolledback" }),
    named({ name: "other" }),
    named({ namespace: "other" }),
    named({ environment: "shop-prod/production" }),
    named({ name: "shop/shop-prod", namespace: "" }),
    named({ context: "\ud800" }),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(id({})).toBe(id({ outcome: "failed" }));
});

test("an event contains at most 50 findings and errors", () => {
  const findings = Array.from(
    { length: 99 },
    () => ({ code: "not-ready", severity: "note" }) as const,
  );
  const errors = findings.map((_, index) => `code-${index}`);
  const event = cdEvent({ ...deployed, findings, errors }, run);
  const { customData } = event["data"] as { customData: { findings: object[]; errors: object[] } };
  expect([customData.findings.length, customData.errors.length]).toEqual([50, 50]);
});

import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type JsonObject, objectAt, textAt } from "../../../src/model/json.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { expectValidEvent } from "../../support/notifications/event-schema.ts";
import {
  type EventReceiverServer,
  type ReceiverAnswer,
  startEventReceiver,
} from "../../support/servers/event-receiver.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";

/** Tests the notifications of the Action for runs on a real control plane. */
const cluster = useCluster();
const action = useShopAction(cluster);

const key = "k3y-of-the-signature";
const repository = { full_name: "acme/shop", default_branch: "main" };
const zeros = "0".repeat(40);

function inputsFor({ url }: EventReceiverServer) {
  return { token: "token", "webhook-url": url, "webhook-secret": key };
}

/** Returns an event as one line. */
function lineOf(event: JsonObject): string {
  const data = objectAt(event, "data", "customData");
  const { kind, deployment = "-", outcome, release = "-", errors = [] } = data;
  const type = textAt(event, "type")?.split(".").slice(2, 4).join(".");
  const task = textAt(event, "data", "subject", "content", "outcome") ?? "-";
  return [type, kind, deployment, outcome, release, task, ...(errors as string[])].join(" ");
}

test("each run sends one signed event per deployment", async () => {
  const receiver = await startEventReceiver();
  const namespace = await cluster.namespace("notified");
  const shop = action.shopIn(namespace);
  const commit = (version: string) => shop.commitParams({ version, greeting: "hello" });
  const commits = [commit("1"), commit("2")] as const;
  const broken = shop.commitFile("adapters/web/main.cue", "package web\nDesignPattern: {");
  const inputs = inputsFor(receiver);
  const { folder } = shop;
  const push = (before: string, after: string) => action.push(shop, before, after, inputs);
  const start = (name: string, more: object) => {
    const event = { inputs: {}, ref: "refs/heads/main", repository };
    return action.act({ folder, name, event, commit: commits[1], inputs: { ...inputs, ...more } });
  };
  const preview = (fork: boolean) => {
    const side = (sha: string, full_name: string) => ({ sha, ref: "x", repo: { full_name } });
    const base = side(commits[0], "acme/shop");
    const pull_request = {
      number: 7,
      base,
      head: side(commits[1], fork ? "eve/shop" : "acme/shop"),
    };
    const event = { pull_request, repository };
    return action.act({ folder, name: "pull_request", event, commit: commits[1], inputs });
  };

  const runs = [
    await push(zeros, commits[0]),
    await push(zeros, commits[0]),
    await preview(true),
    await preview(false),
    await push(commits[0], commits[1]),
    await start("schedule", { issue: "false" }),
    await start("workflow_dispatch", { revision: "1", deployment: "shop" }),
    await start("workflow_dispatch", { revision: "99", deployment: "shop" }),
    await start("workflow_dispatch", { revision: "1", deployment: "nothing" }),
    await push(commits[1], broken),
  ];

  const events = receiver.received.map(({ event }) => event);
  for (const event of events) expectValidEvent(event);
  expect(events.map(lineOf)).toEqual([
    "service.deployed deploy shop deployed 1 -",
    "taskrun.finished deploy shop no-change 1 success",
    "taskrun.finished preview shop ready 1 success",
    "service.upgraded deploy shop deployed 2 -",
    "taskrun.finished drift shop clean 2 success",
    "service.rolledback rollback shop deployed 3 -",
    "taskrun.finished rollback shop failed - failure release-not-found",
    "taskrun.finished rollback nothing failed - failure unknown-deployment",
    "taskrun.finished deploy shop failed - failure invalid-cue",
  ]);
  expect(runs.map(({ exitCode }) => exitCode ?? 0)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
  const comments = action.github().state.comments.map(({ body }) => body);
  expect(comments.length).toBeGreaterThan(0);
  expect(comments.join("\n")).not.toContain(new URL(receiver.url).pathname);
  for (const { body, headers } of receiver.received) {
    const signature = createHmac("sha256", key).update(body).digest("hex");
    expect(headers["x-hub-signature-256"]).toBe(`sha256=${signature}`);
  }
});

const redirect = { status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } } as const;

test.each<[name: string, answer: ReceiverAnswer, error: string | undefined]>([
  ["a success", { status: 200 }, undefined],
  ["an error", { status: 500 }, "status 500"],
  ["a redirect", redirect, "status 302, a redirect, which qvs doesn't follow"],
  ["no answer", { status: "hang" }, "no answer in time"],
])("%s of the receiver changes no result and reveals no secret", async (_, answer, error) => {
  const receiver = await startEventReceiver();
  receiver.answer(answer);
  const shop = action.shopIn(await cluster.namespace("receiver"));
  const commit = shop.commitParams({ version: "1", greeting: "hello" });
  const run = await action.push(shop, zeros, commit, {
    ...inputsFor(receiver),
    comment: "always",
  });
  expect(run.exitCode, run.log).toBeUndefined();
  expect(run.outputs).toContain("deployed");
  if (error === undefined) expect(run.log).not.toContain("webhook-failed");
  else expect(run.log).toContain(`error: ${error}`);
  const log = run.log.split("\n").filter((line) => !line.startsWith("::add-mask::"));
  const comments = action.github().state.comments.map(({ body }) => body);
  const shown = [...log, run.summary, run.outputs, ...comments].join("\n");
  const { pathname, search, port } = new URL(receiver.url);
  for (const secret of [pathname, search, port, "T0KEN5ECRET", "T0PATH5ECRET", key])
    expect(shown).not.toContain(secret);
  expect(shown).not.toContain("an-answer-that-no-one-prints");
});

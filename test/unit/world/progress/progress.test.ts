import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createNamedProgress, createProgress } from "../../../../src/world/progress/progress.ts";
import { applying, ready, waiting } from "../../../support/report/terminal-events.ts";

function terminal(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 60, rows: 20 });
  const written: string[] = [];
  stream.on("data", (chunk: Buffer) => written.push(chunk.toString()));
  return { stream, text: () => written.join("") };
}

function nameOf(key: string): string {
  return key === "web" ? "Deployment shop/web" : key;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("without a terminal", () => {
  it("slow objects are reported, long waits every 30 s, and a table ends the output", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report({ type: "planned", upserts: 1, deletions: 0, unchanged: 1 });
    progress.report(ready("config"));
    progress.report(applying("web"));
    progress.report({ type: "applied", key: "web", action: "create" });
    progress.report(waiting("web", "0/1 ready"));
    vi.advanceTimersByTime(65_000);
    progress.report(ready("web"));
    progress.report({ type: "finished", ending: "succeeded" });
    vi.advanceTimersByTime(120_000);
    expect(text()).toBe(`\
[     0s] Plan: 1 to create or update, 0 to delete, 1 unchanged
[     0s] Deployment shop/web: created
[     2s] Deployment shop/web: waiting: 0/1 ready
[    32s] Still waiting for Deployment shop/web (32s, 0/1 ready)
[ 1m 02s] Still waiting for Deployment shop/web (1m 02s, 0/1 ready)
[ 1m 05s] Deployment shop/web: ready
Succeeded in 1m 05s: 1 created, 1 unchanged
  ✔ created   Deployment shop/web  1m 05s
`);
  });

  it("each line of parallel deployments has a name, and none starts a group", () => {
    const { stream, text } = terminal(false);
    const [api, web] = ["api", "web"].map((name) => createNamedProgress(name, stream, nameOf));
    api?.report({ type: "stage-started", stage: "app" });
    web?.report({ type: "stage-started", stage: "app" });
    api?.report(applying("config"));
    web?.report(applying("web"));
    api?.report({ type: "applied", key: "config", action: "create" });
    api?.report(ready("config"));
    web?.report({ type: "applied", key: "web", action: "create" });
    web?.report(waiting("web", "0/1 ready"));
    vi.advanceTimersByTime(2000);
    api?.report({ type: "finished", ending: "succeeded" });
    web?.close();
    expect(text()).toBe(`\
[     0s] api: Stage app
[     0s] web: Stage app
[     0s] api: config: created
[     0s] web: Deployment shop/web: created
[     2s] web: Deployment shop/web: waiting: 0/1 ready
api: Succeeded in 2s: 1 created
api:   ✔ created   config      0s
`);
  });

  it("an object that is ready soon is one line", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report(applying("web"));
    progress.report({ type: "applied", key: "web", action: "update" });
    progress.report(waiting("web", "its controller hasn't observed it yet"));
    vi.advanceTimersByTime(1000);
    progress.report(ready("web"));
    vi.advanceTimersByTime(10_000);
    progress.close();
    expect(text()).toBe("[     0s] Deployment shop/web: updated\n");
  });

  it("frequently changing reasons are reported every 10 s at most", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    for (let count = 0; count < 100; count += 1) {
      progress.report(waiting("web", `${count}/100 ready`));
      vi.advanceTimersByTime(250);
    }
    progress.close();
    expect(text().split("\n").filter(Boolean)).toHaveLength(3);
  });

  it("a lasting reason is reported, even if it followed another one too soon", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report(waiting("web", "not seen yet"));
    vi.advanceTimersByTime(3000);
    progress.report(waiting("web", "0/1 ready"));
    progress.report(waiting("web", "new 1/1, 0 ready"));
    vi.advanceTimersByTime(24_000);
    progress.close();
    expect(text()).toBe(`\
[     2s] Deployment shop/web: waiting: not seen yet
[    12s] Deployment shop/web: waiting: new 1/1, 0 ready
`);
  });

  it("the first reason of a Pod is reported immediately, and later ones are delayed", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report(waiting("web", "not seen yet"));
    vi.advanceTimersByTime(1000);
    progress.report(waiting("web", "0/1 ready; Pod web-1: Unschedulable", true));
    vi.advanceTimersByTime(1000);
    progress.report(waiting("web", "0/1 ready; Pod web-2: Unschedulable", true));
    vi.advanceTimersByTime(12_000);
    progress.close();
    expect(text()).toBe(`\
[     1s] Deployment shop/web: waiting: 0/1 ready; Pod web-1: Unschedulable
[    11s] Deployment shop/web: waiting: 0/1 ready; Pod web-2: Unschedulable
`);
  });

  it("a heartbeat follows 30 s after the last line", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    vi.advanceTimersByTime(1000);
    progress.report(waiting("web", "0/1 ready"));
    vi.advanceTimersByTime(33_000);
    progress.close();
    expect(text()).toContain("[    33s] Still waiting for Deployment shop/web (32s, 0/1 ready)");
  });

  it("a very long name doesn't change the lines of other objects", () => {
    const { stream, text } = terminal(false);
    const long = "Deployment shop/".padEnd(79, "x");
    const progress = createProgress(stream, nameOf, {});
    progress.report(ready(long));
    progress.report({ type: "kept", key: long, why: "" });
    progress.report({ type: "kept", key: "web", why: "" });
    progress.report({ type: "finished", ending: "succeeded" });
    expect(text().split("\n").slice(-3)).toEqual([
      `  • kept      ${long}      0s`,
      `  • kept      ${"Deployment shop/web".padEnd(58)}      0s`,
      "",
    ]);
  });

  it("a failed object is last in the table, next to its error", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report({ type: "failed", key: "web", why: "it crashed" });
    progress.report({ type: "applied", key: "a", action: "create" });
    progress.report(ready("a"));
    progress.report({ type: "finished", ending: "failed" });
    expect(text().split("\n").slice(-3)).toEqual([
      "  ✔ created   a                        0s",
      "  ✖ failed    Deployment shop/web      0s",
      "",
    ]);
  });

  it("a delayed reason isn't reported for an object that is ready in the meantime", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report(waiting("web", "not seen yet"));
    progress.report(waiting("web", "0/1 ready"));
    progress.report(ready("web"));
    vi.advanceTimersByTime(24_000);
    progress.close();
    expect(text()).not.toContain("0/1 ready");
  });

  it("slow compilation and planning are reported", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report({ type: "preparing", step: "compiling" });
    vi.advanceTimersByTime(20_000);
    progress.report({ type: "preparing", step: "planning" });
    vi.advanceTimersByTime(20_000);
    progress.close();
    expect(text()).toBe("[    30s] Still planning\n");
  });

  it("a cluster that doesn't answer isn't shown as a compilation", async () => {
    const plain = terminal(false);
    const live = terminal(true);
    const both = [
      createProgress(plain.stream, nameOf, {}),
      createProgress(live.stream, nameOf, { TERM: "xterm" }),
    ];
    await vi.dynamicImportSettled();
    for (const progress of both) {
      progress.report({ type: "preparing", step: "compiling" });
      progress.report({ type: "preparing", step: "reading" });
    }
    vi.advanceTimersByTime(34_000);
    for (const progress of both) progress.close();
    expect(plain.text()).toBe("[    30s] Still reading the cluster\n");
    expect(live.text()).toContain("Reading the cluster · 34s");
  });

  it("each stage is a group on GitHub, and no other text can end or start a group", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, { GITHUB_ACTIONS: "true" });
    progress.report({ type: "recorded", revision: 2 });
    progress.report({ type: "stage-started", stage: "appSetup" });
    progress.report({ type: "applied", key: "::endgroup::", action: "create" });
    progress.report({ type: "stage-started", stage: "app" });
    progress.report(waiting("web", "::endgroup::"));
    vi.advanceTimersByTime(2000);
    progress.report(ready("web"));
    progress.report({ type: "deleting", key: "a" });
    progress.report({ type: "deleted", key: "a" });
    progress.report({ type: "finished", ending: "succeeded" });
    expect(text()).toBe(`\
[     0s] Recorded as release 2
::group::Stage appSetup
[     0s] : :endgroup::: created
::endgroup::
::group::Stage app
[     2s] Deployment shop/web: waiting: ::endgroup::
[     2s] Deployment shop/web: ready
::endgroup::
::group::Deletions
[     2s] a: deleting
[     2s] a: deleted
::endgroup::
Succeeded in 2s: 1 unchanged, 1 deleted, 1 waiting
  … waiting   : :endgroup::      2s
  ✔ deleted   a                  0s
`);
  });

  it("a wait for the lock shows its holder", () => {
    const { stream, text } = terminal(false);
    const progress = createProgress(stream, nameOf, {});
    progress.report({ type: "lock-waiting", holder: "run 7" });
    vi.advanceTimersByTime(30_000);
    progress.close();
    expect(text()).toContain("[    30s] Still waiting for the deployment lock, held by run 7");
  });
});

describe("on a terminal", () => {
  it("the tree is drawn at most ten times a second and replaced by the table", async () => {
    const { stream, text } = terminal(true);
    const progress = createProgress(stream, nameOf, { TERM: "xterm" });
    await vi.dynamicImportSettled();
    progress.report(applying("web"));
    expect(text()).toBe("");
    vi.advanceTimersByTime(100);
    expect(text()).toContain("Deployment shop/web");
    progress.report({ type: "failed", key: "web", why: "it crashed" });
    progress.report({ type: "finished", ending: "failed" });
    const end = text();
    expect(end).toMatch(/Failed after 0s.*1 failed/);
    vi.advanceTimersByTime(1000);
    expect(text()).toBe(end);
  });

  it("the time starts with planning, like that of the result", async () => {
    const { stream, text } = terminal(true);
    const progress = createProgress(stream, nameOf, { TERM: "xterm" });
    await vi.dynamicImportSettled();
    progress.report({ type: "preparing", step: "compiling" });
    vi.advanceTimersByTime(5000);
    expect(text()).toContain("Compiling · 5s");
    progress.report({ type: "preparing", step: "planning" });
    vi.advanceTimersByTime(2000);
    progress.report({ type: "planned", upserts: 1, deletions: 0, unchanged: 0 });
    vi.advanceTimersByTime(1000);
    progress.close();
    expect(text()).toContain("Planning · 2s");
    expect(text()).toContain("Deploying · 0 of 1 done · 3s");
  });

  it.each([{ TERM: "dumb" }, { TERM: "xterm", CI: "true" }])("%j gets plain lines", (env) => {
    const { stream, text } = terminal(true);
    const progress = createProgress(stream, nameOf, env);
    progress.report({ type: "applied", key: "web", action: "create" });
    progress.close();
    expect(text()).toBe("[     0s] Deployment shop/web: created\n");
  });
});

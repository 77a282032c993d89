import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { definitionOf, type Operator, operators } from "./operators.ts";

/**
 * Operators whose controllers the test plays: a new object that becomes degraded never costs the
 * old one (docs/reference/health-rules.md).
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

beforeAll(async () => {
  await cluster.apply("default", operators.map(definitionOf).join("\n---\n"));
  const names = operators.map(({ kind, group }) => `crd/${kind.toLowerCase()}s.${group}`);
  await cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", ...names);
});

const demoFor = () =>
  manifestsIn(cluster, undefined, {
    run: (folder, args, env) => runHere(folder, args, compiler, env),
  });

const resourceOf = ({ kind, group }: Operator) => `${kind.toLowerCase()}s.${group}`;

const manifestOf = ({ group, version, kind }: Operator, name: string) =>
  JSON.stringify({ apiVersion: `${group}/${version}`, kind, metadata: { name } });

/** Plays the controllers: writes a status as soon as each object exists. */
async function report(
  demo: Manifests,
  kinds: readonly Operator[],
  name: string,
  outcome: "ready" | "degraded",
): Promise<void> {
  for (const operator of kinds) {
    const patch = JSON.stringify({ status: operator[outcome] });
    const args = ["patch", resourceOf(operator), name, "--subresource=status", "--type=merge"];
    for (let attempt = 0; ; attempt += 1) {
      try {
        await demo.kubectl(...args, "-p", patch);
        break;
      } catch (error) {
        if (attempt === 60) throw error;
        await sleep(500);
      }
    }
  }
}

async function exists(demo: Manifests, operator: Operator, name: string): Promise<boolean> {
  const found = await demo.kubectl("get", resourceOf(operator), "-o", "name");
  return found.split("\n").some((each) => each.endsWith(`/${name}`));
}

/** Runs a command while the controllers write a status. Returns exit code and output. */
async function runWith(
  demo: Manifests,
  kinds: readonly Operator[],
  [name, outcome]: readonly [string, "ready" | "degraded"],
  command: readonly [string, ...string[]],
): Promise<{ readonly code: number; readonly text: string }> {
  const [{ code, stdout, stderr }] = await Promise.all([
    demo.qvs(...command),
    report(demo, kinds, name, outcome),
  ]);
  return { code, text: stdout + stderr };
}

test("the old objects stay while their successors are degraded", async () => {
  const demo = await demoFor();
  const ruled = operators.slice(0, -1);
  const declare = (name: string) =>
    demo.declare({ app: ruled.map((each) => manifestOf(each, name)).join("\n---\n") });
  const deploy = ["deploy", "--timeout", "90s"] as const;
  declare("settings-a");
  const first = await runWith(demo, ruled, ["settings-a", "ready"], deploy);
  expect(first.code, first.text).toBe(0);

  declare("settings-b");
  const second = await runWith(demo, ruled, ["settings-b", "degraded"], deploy);
  expect(second.code, second.text).toBe(1);
  for (const each of ruled) expect(await exists(demo, each, "settings-a"), each.kind).toBe(true);

  const third = await runWith(demo, ruled, ["settings-b", "ready"], deploy);
  expect(third.code, third.text).toBe(0);
  for (const each of ruled) expect(await exists(demo, each, "settings-a"), each.kind).toBe(false);
});

const gadget = operators.at(-1) as Operator;
const rule = (state: string) =>
  `{apiVersion: "acme-health.example/v1", kind: "Gadget", failed: "status.phase == 'Failed'", current: "status.phase == '${state}'"}`;

const ruledBy: Readonly<Record<string, (demo: Manifests) => void>> = {
  adapter: (demo) =>
    demo.write(
      "adapters/rules/main.cue",
      `package rules\n\nDesignPattern: {resources: app: {}, health: [${rule("Ready")}]}\n`,
    ),
  config: () => {},
};

test.each(Object.keys(ruledBy))("a rule of the %s decides, also later", async (place) => {
  const demo = await demoFor();
  ruledBy[place]?.(demo);
  const own = place === "adapter" ? "" : `health: [${rule("Ready")}]\n`;
  const uses = place === "adapter" ? "  - pattern: demo.example/adapters/rules\n" : "";
  demo.write(
    ".valuestream/qvs.yaml",
    `params: [{name: appSetup, type: object}, {name: app, type: object}]
modules: [{name: demo.example/adapters, local: {path: ../adapters}}]
${own}designPatterns:
  - pattern: demo.example/adapters/manifests
    params: {appSetup: $(params.appSetup), app: $(params.app)}
${uses}`,
  );
  const deploy = ["deploy", "--timeout", "10s"] as const;
  demo.declare({ app: manifestOf(gadget, "gadget-a") });
  const first = await runWith(demo, [gadget], ["gadget-a", "ready"], deploy);
  expect(first.code, first.text).toBe(0);

  demo.declare({ app: manifestOf(gadget, "gadget-b") });
  const second = await runWith(demo, [gadget], ["gadget-b", "degraded"], deploy);
  expect(second.code, second.text).toBe(1);
  expect(await exists(demo, gadget, "gadget-a")).toBe(true);
  const third = await runWith(demo, [gadget], ["gadget-b", "ready"], deploy);
  expect(third.code, third.text).toBe(0);
  expect(await exists(demo, gadget, "gadget-a")).toBe(false);

  // The release contains the rule, so a rollback needs neither the config nor the adapter.
  const back = ["rollback", "--to", "1", "--timeout", "10s"] as const;
  const rollback = await runWith(demo, [gadget], ["gadget-a", "degraded"], back);
  expect(rollback.code, rollback.text).toBe(1);
  expect(await exists(demo, gadget, "gadget-b")).toBe(true);
  const again = await runWith(demo, [gadget], ["gadget-a", "ready"], back);
  expect(again.code, again.text).toBe(0);
  expect(await exists(demo, gadget, "gadget-b")).toBe(false);

  await report(demo, [gadget], "gadget-a", "degraded");
  const status = await demo.qvs("status");
  expect(status.stdout).toContain("failed");
  await report(demo, [gadget], "gadget-a", "ready");

  // A correction creates the object again, and waits for it by the recorded rule.
  await demo.kubectl("delete", resourceOf(gadget), "gadget-a");
  const correction = ["reconcile", "--timeout", "10s"] as const;
  const corrected = await runWith(demo, [gadget], ["gadget-a", "degraded"], correction);
  expect(corrected.code, corrected.text).toBe(1);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { readInputs } from "../../../src/action/inputs/read-inputs.ts";
import { defineDeploy, defineRollback } from "../../../src/cli/deploy.ts";
import { type ApplyFlags, deployRequest } from "../../../src/cli/flags/apply-flags.ts";
import type { RunCommand } from "../../../src/cli/program/run-cli.ts";
import type { Shell } from "../../../src/cli/program/shell.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../src/model/deployments/deploy-request.ts";

/** A flag, and its value as arguments and as the text of the input with the same name. */
type Case = readonly [flag: string, args: readonly string[], input: string];

const digest = "0123456789abcdef".repeat(4);

/** The flags that change the request of a deployment or a rollback. */
const cases: readonly Case[] = [
  ["--allow-delete", ["Namespace,PersistentVolume"], "Namespace,PersistentVolume"],
  ["--conflicts", ["force"], "force"],
  ["--takeover", ["helm,kubectl"], "helm\nkubectl"],
  ["--keep-revisions", ["3"], "3"],
  ["--timeout", ["90s"], "90s"],
  ["--no-progress-timeout", ["3m"], "3m"],
  ["--concurrency", ["3"], "3"],
  ["--expect-digest", [digest], digest],
  ["--adopt", [], "true"],
  ["--keep-releases", ["4"], "4"],
  ["--override-freeze", ["holidays"], "holidays"],
  ["--on-failure", ["rollback"], "rollback"],
  ["--allow-older", [], "true"],
  ["--allow-failed", [], "true"],
  ["--allow-outside-namespace", [], "true"],
  ["--allow-irreversible", [], "true"],
];

/** The flags that change the request and have no input, with the reason. */
const withoutInput: Readonly<Record<string, string>> = {
  "--only-stage": "a workflow deploys both stages, and its preview shows both",
  "--expect-plan": "the Action reads the approved plans from pull requests",
  "--wait-for-lock": "the Action always waits, because a job that gave up is not started again",
  "--no-wait-for-lock": "the Action always waits, because a job that gave up is not started again",
};

/**
 * The flags that choose the deployment, its parameters or the output. They aren't in the request.
 */
const elsewhere = [
  ...["--config", "--deployment", "--params", "--param", "--namespace"],
  ...["--kubeconfig", "--context", "--quiet", "--to", "--yes", "--dry-run"],
  ...["--all", "--changed", "--parallel"],
];

let given: ApplyFlags | undefined;
const run: RunCommand = async (flags) => {
  given = flags as ApplyFlags;
};

/** Returns new commands, because a command that has run keeps its flags. */
function commands(): Command {
  const program = new Command().exitOverride();
  defineDeploy(program.command("deploy"), run);
  defineRollback(program.command("rollback"), run);
  return program;
}

function flagsOf(name: string): readonly string[] {
  const command = commands().commands.find((each) => each.name() === name);
  return command?.options.flatMap(({ long }) => long ?? []) ?? [];
}

async function requestOfFlags(...args: readonly string[]): Promise<DeployRequest> {
  const isForDeploy = args.length === 0 || flagsOf("deploy").includes(args[0] ?? "");
  const command = isForDeploy ? "deploy" : "rollback";
  await commands().parseAsync([command, ...args], { from: "user" });
  return deployRequest(given as ApplyFlags, {} as Shell);
}

function requestOfInputs(inputs: Readonly<Record<string, string>>, attempt = "2"): DeployRequest {
  vi.stubEnv("GITHUB_RUN_ATTEMPT", attempt);
  for (const [name, value] of Object.entries(inputs))
    vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return readInputs().request;
}

test.each(cases)("%s and its input make the same request", async (flag, args, input) => {
  const request = await requestOfFlags(flag, ...args);
  expect(request).toEqual(requestOfInputs({ [flag.slice(2)]: input }));
  expect(request).not.toEqual(defaultRequest);
});

test("without flags and inputs, both make the default request", async () => {
  expect(await requestOfFlags()).toEqual(defaultRequest);
  expect(requestOfInputs({})).toEqual(defaultRequest);
});

test("only the first attempt of a workflow run treats a late run as success", () => {
  expect(requestOfInputs({}, "1")).toEqual({ ...defaultRequest, whenOlder: "supersede" });
});

test("each flag of a deployment or rollback has an input or a reason against one", () => {
  const action = join(import.meta.dirname, "../../../action.yml");
  const { inputs } = parse(readFileSync(action, "utf8")) as { inputs: object };
  const compared = cases.map(([flag]) => flag);
  const flags = [...new Set([...flagsOf("deploy"), ...flagsOf("rollback")])];
  const known = [...compared, ...Object.keys(withoutInput), ...elsewhere];
  expect(flags.toSorted()).toEqual(known.toSorted());
  const named = (flag: string) => flag.slice(2) in inputs;
  expect(compared.filter((flag) => !named(flag))).toEqual([]);
  expect(Object.keys(withoutInput).filter(named)).toEqual([]);
});

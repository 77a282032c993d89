import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseDocument, visit } from "yaml";
import { wrap } from "./prose.ts";
import { code, sentence, table } from "./table.ts";

const root = join(import.meta.dirname, "../..");

interface Job {
  readonly "timeout-minutes"?: number | string;
  readonly concurrency?: {
    readonly group: string;
    readonly queue?: "max";
    readonly "cancel-in-progress": boolean;
  };
}

/**
 * Returns the jobs of the reusable workflows, with the effect of their concurrency group and their
 * time limit.
 */
export function workflowJobs(): string {
  const rows = reusable().flatMap(({ name, text }) => {
    const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(text);
    return Object.entries(jobs).flatMap(([job, { "timeout-minutes": minutes, concurrency }]) =>
      minutes === undefined
        ? []
        : [[code(name), code(job), secondRun(concurrency), timeLimit(minutes)]],
    );
  });
  return table(["Workflow", "Job", "A second run of its group", "Time limit"], rows);
}

function timeLimit(minutes: number | string): string {
  return typeof minutes === "number" ? `${minutes} minutes` : "`timeout-minutes`";
}

/** Returns the concurrency groups of the jobs of the reusable workflows. */
export function concurrencyGroups(): string {
  const lines = reusable().flatMap(({ name, text }) => {
    const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(text);
    return Object.entries(jobs).flatMap(([job, { concurrency }]) =>
      concurrency === undefined ? [] : [`# ${name}, job ${job}`, concurrency.group, ""],
    );
  });
  return ["```text", ...lines.slice(0, -1), "```"].join("\n");
}

function secondRun(concurrency: Job["concurrency"]): string {
  if (concurrency === undefined) return "no group";
  if (concurrency["cancel-in-progress"]) return "cancels the first run";
  return concurrency.queue === "max"
    ? "waits; all runs keep their place"
    : "waits; a third run replaces it";
}

interface Called {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Readonly<
        Record<string, { type: string; description: string; default?: string }>
      >;
    };
  };
}

/** Examples and defaults of the inputs that only the reusable workflows have. */
const ownInputs: Readonly<
  Record<string, { readonly otherwise?: string; readonly example: string }>
> = {
  environment: {
    otherwise: "each deployment's own environment in `deploy.yml`, else none",
    example: "production",
  },
  login: { otherwise: "no login", example: "./.github/actions/login" },
  "environment-suffix": { otherwise: "no environment", example: "-plan" },
  "runs-on": { example: "self-hosted" },
  "timeout-minutes": { otherwise: "15 in `plan.yml`, else 60", example: "120" },
  "wait-at": { example: "lock" },
};

/**
 * Returns a heading for each input that only the reusable workflows have, without those that other
 * workflows call.
 */
export function workflowInputs(): string {
  const { inputs: ofAction }: { readonly inputs: object } = parse(
    readFileSync(join(root, "action.yml"), "utf8"),
  );
  const all = reusable()
    .filter(({ name }) => isCopied(name))
    .flatMap(({ name, text }) => {
      const { on }: Called = parse(text);
      return Object.entries(on.workflow_call.inputs)
        .filter(([input]) => !Object.hasOwn(ofAction, input))
        .map(([input, declared]) => ({ input, name, ...declared }));
    });
  const byInput = [...Map.groupBy(all, ({ input }) => input)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return byInput.map(([input, uses]) => workflowInput(input, uses)).join("\n\n");
}

function workflowInput(
  input: string,
  uses: readonly { name: string; type: string; description: string; default?: string }[],
): string {
  const [first] = uses;
  const facts = ownInputs[input];
  if (first === undefined || facts === undefined) throw new Error(`${input} has no example`);
  if (uses.some(({ description }) => description !== first.description))
    throw new Error(`The descriptions of ${input} differ`);
  const usual = facts.otherwise ?? code(first.default ?? "");
  return [
    `### ${input}`,
    wrap(sentence(first.description)),
    [
      wrap(`- Workflows: ${uses.map(({ name }) => code(name)).join(", ")}`, "  "),
      `- Type: ${first.type}`,
      wrap(`- Default: ${usual}`, "  "),
      `- Example: ${code(`${input}: ${facts.example}`)}`,
    ].join("\n"),
  ].join("\n\n");
}

/** Other workflows call the rest. */
function isCopied(name: string): boolean {
  return filesIn("workflows").some((each) => each.name === name);
}

/** Returns the permissions of the workflows to copy, each with the reason in its comment. */
export function callerPermissions(): string {
  const rows = filesIn("workflows").flatMap(({ name, text }) =>
    permissionsIn(text).map(({ permission, access, why }) => [
      `[${name}](../../workflows/${name})`,
      code(`${permission}: ${access}`),
      why,
    ]),
  );
  return table(["Workflow", "Permission", "Reason"], rows);
}

function permissionsIn(text: string) {
  const found: { permission: string; access: string; why: string }[] = [];
  visit(parseDocument(text), {
    Pair: (_, pair) => {
      const { key, value } = pair as {
        key: { value: string };
        value: {
          items?: readonly { key: { value: string }; value: { value: string; comment?: string } }[];
        };
      };
      if (key.value !== "permissions") return;
      for (const { key: name, value: access } of value.items ?? [])
        found.push({
          permission: name.value,
          access: access.value,
          why: (access.comment ?? "").trim(),
        });
    },
  });
  return found;
}

function reusable() {
  return filesIn(".github/workflows").filter(({ text }) => text.includes("workflow_call:"));
}

function filesIn(folder: string) {
  return readdirSync(join(root, folder))
    .toSorted()
    .map((name) => ({ name, text: readFileSync(join(root, folder, name), "utf8") }));
}

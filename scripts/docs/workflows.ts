import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseDocument, visit } from "yaml";
import { code, sentence, table } from "./table.ts";

const root = join(import.meta.dirname, "../..");

interface Job {
  readonly "timeout-minutes"?: number;
  readonly concurrency?: {
    readonly group: string;
    readonly queue?: "max";
    readonly "cancel-in-progress": boolean;
  };
}

/** The jobs of the reusable workflows: which of them keep others of their group from running, and how long each may take. */
export function workflowJobs(): string {
  const rows = reusable().flatMap(({ name, text }) => {
    const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(text);
    return Object.entries(jobs).flatMap(([job, { "timeout-minutes": minutes, concurrency }]) =>
      minutes === undefined
        ? []
        : [
            [
              code(name),
              code(job),
              concurrency === undefined ? "" : code(concurrency.group),
              secondRun(concurrency),
              `${minutes} minutes`,
            ],
          ],
    );
  });
  return table(["workflow", "job", "group", "a second run of the group", "may take"], rows);
}

function secondRun(concurrency: Job["concurrency"]): string {
  if (concurrency === undefined) return "";
  if (concurrency["cancel-in-progress"]) return "cancels the first";
  return concurrency.queue === "max"
    ? "waits, and so do all others"
    : "waits; a third one takes its place";
}

interface Called {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Readonly<Record<string, { description: string; default?: string }>>;
    };
  };
}

/** What only the reusable workflows take, of those that people call. */
export function workflowInputs(): string {
  const { inputs: ofAction }: { readonly inputs: object } = parse(
    readFileSync(join(root, "action.yml"), "utf8"),
  );
  const rows = reusable().flatMap(({ name, text }) => {
    const { on }: Called = parse(text);
    return Object.entries(on.workflow_call.inputs)
      .filter(([input]) => !Object.hasOwn(ofAction, input))
      .map(([input, { description, default: value = "" }]) => [
        code(input),
        code(name),
        value === "" ? "" : code(value),
        sentence(description),
      ]);
  });
  const called = rows.filter(([, name = ""]) => isCopied(name));
  return table(
    ["input", "workflow", "default", "meaning"],
    called.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
}

/** The others are called by these. */
function isCopied(name: string): boolean {
  return filesIn("workflows").some((each) => code(each.name) === name);
}

/** What the workflows to copy ask of the job's token, each with the reason that stands beside it. */
export function callerPermissions(): string {
  const rows = filesIn("workflows").flatMap(({ name, text }) =>
    permissionsIn(text).map(({ permission, access, why }) => [
      `[${name}](../../workflows/${name})`,
      code(`${permission}: ${access}`),
      why,
    ]),
  );
  return table(["workflow", "permission", "why"], rows);
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

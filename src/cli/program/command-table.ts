import type { Command } from "commander";
import type { RunCommand } from "./run-cli.ts";
import type { Shell } from "./shell.ts";

/** Adds the arguments, flags and action of a command to it. */
type DefineCommand = (command: Command, run: RunCommand, shell: Shell) => void;

/** A command as the general help lists it, with its definition, which is loaded on demand. */
export interface ListedCommand {
  readonly name: string;
  /** The heading in the general help; undefined for a command that isn't shown there. */
  readonly group: string | undefined;
  readonly summary: string;
  /** Stands behind the name in the general help. */
  readonly usage: string;
  readonly load: () => Promise<DefineCommand>;
}

/**
 * The commands, in the order of the general help.
 * A start loads only the definitions that its words name. The general help and the completion of
 * command names need none, so they don't read the rest of the program.
 */
export const commandTable: readonly ListedCommand[] = [
  {
    name: "init",
    group: "Start:",
    summary: "write an adapter, deployments and workflows",
    usage: "[options]",
    load: async () => (await import("../init/init.ts")).defineInit,
  },
  {
    name: "describe",
    group: "Start:",
    summary: "show the parameters of adapters",
    usage: "[options] [pattern]",
    load: async () => (await import("../describe.ts")).defineDescribe,
  },
  {
    name: "compile",
    group: "Start:",
    summary: "print the manifests, with plain values of Secrets",
    usage: "[options]",
    load: async () => (await import("../compile.ts")).defineCompile,
  },
  {
    name: "lock",
    group: "Start:",
    summary: "lock Git modules, charts of registries and remote bases",
    usage: "[options]",
    load: async () => (await import("../lock.ts")).defineLock,
  },
  {
    name: "outdated",
    group: "Start:",
    summary: "list newer versions of Git modules, charts and remote bases",
    usage: "[options]",
    load: async () => (await import("../outdated.ts")).defineOutdated,
  },
  {
    name: "deploy",
    group: "Change:",
    summary: "apply, wait until ready, delete old objects",
    usage: "[options]",
    load: async () => (await import("../deploy.ts")).defineDeploy,
  },
  {
    name: "rollback",
    group: "Change:",
    summary: "restore a recorded release",
    usage: "[options]",
    load: async () => (await import("../deploy.ts")).defineRollback,
  },
  {
    name: "reconcile",
    group: "Change:",
    summary: "correct drift from the current release",
    usage: "[options]",
    load: async () => (await import("../drift/reconcile.ts")).defineReconcile,
  },
  {
    name: "delete",
    group: "Change:",
    summary: "delete a deployment with its releases",
    usage: "[options]",
    load: async () => (await import("../delete.ts")).defineDelete,
  },
  {
    name: "environments",
    group: "Change:",
    summary: "manage preview environments of pull requests",
    usage: "",
    load: async () => (await import("../environments/environments.ts")).defineEnvironments,
  },
  {
    name: "diff",
    group: "Look:",
    summary: "show what a deployment would change",
    usage: "[options]",
    load: async () => (await import("../diff.ts")).defineDiff,
  },
  {
    name: "status",
    group: "Look:",
    summary: "show the state of each object",
    usage: "[options]",
    load: async () => (await import("../queries/status.ts")).defineStatus,
  },
  {
    name: "health",
    group: "Look:",
    summary: "show whether objects are ready, by health rules",
    usage: "[options] [kind/name...]",
    load: async () => (await import("../queries/health.ts")).defineHealth,
  },
  {
    name: "releases",
    group: "Look:",
    summary: "list the releases of a deployment",
    usage: "[options]",
    load: async () => (await import("../queries/releases.ts")).defineReleases,
  },
  {
    name: "drift",
    group: "Look:",
    summary: "compare the cluster with the current releases",
    usage: "[options]",
    load: async () => (await import("../drift/drift.ts")).defineDrift,
  },
  {
    name: "get",
    group: "Look:",
    summary: "list deployments, objects and field owners",
    usage: "",
    load: async () => (await import("../queries/get.ts")).defineGet,
  },
  {
    name: "why",
    group: "Look:",
    summary: "show where a field's value comes from",
    usage: "[options] <deployment> <object> <field>",
    load: async () => (await import("../queries/why.ts")).defineWhy,
  },
  {
    name: "graph",
    group: "Look:",
    summary: "draw the dependencies between objects",
    usage: "[options]",
    load: async () => (await import("../graph.ts")).defineGraph,
  },
  {
    name: "changed",
    group: "CI and tools:",
    summary: "list the deployments that a push changes",
    usage: "[options]",
    load: async () => (await import("../changed.ts")).defineChanged,
  },
  {
    name: "rbac",
    group: "CI and tools:",
    summary: "print the roles that a command needs",
    usage: "[options] [for]",
    load: async () => (await import("../rbac.ts")).defineRbac,
  },
  {
    name: "schema",
    group: "CI and tools:",
    summary: "print the JSON Schema of a config file",
    usage: "[options] <file>",
    load: async () => (await import("../schema.ts")).defineSchema,
  },
  {
    name: "completion",
    group: "CI and tools:",
    summary: "print a script for shell completion",
    usage: "<bash|zsh|fish>",
    load: async () => (await import("../completion/completion.ts")).defineCompletion,
  },
  {
    name: "__complete",
    group: undefined,
    summary: "",
    usage: "[words...]",
    load: async () => (await import("../completion/complete-line.ts")).defineComplete,
  },
];

/** Returns the usage behind the name of a top-level command. */
export function usageOf(name: string): string | undefined {
  return commandTable.find((command) => command.name === name)?.usage;
}

/**
 * Returns the names of the commands that a command line needs.
 * Any word counts that is the name of a command: it can be an argument of `help` or `__complete`.
 * If the first word is unknown, the error suggests a command at another place, such as `get owners`
 * for `owners`, and all commands are needed to find it.
 */
export function namedCommands(words: readonly string[]): ReadonlySet<string> {
  const names = commandTable.map(({ name }) => name);
  const [first = "-"] = words;
  if (!first.startsWith("-") && first !== "help" && !names.includes(first)) return new Set(names);
  return new Set(names.filter((name) => words.includes(name)));
}

/** The names of all commands. */
export const allCommands: ReadonlySet<string> = new Set(commandTable.map(({ name }) => name));

import { basename } from "node:path";
import { type Command, Option } from "commander";
import { adopt, keep, readFiles, readLive } from "../../commands/init.ts";
import {
  adoptionPaths,
  type RepositoryFiles,
  starterFiles,
  starterPaths,
} from "../../init/repository-files.ts";
import { parseAction, parseNamespace } from "../../inputs/parse.ts";
import { idOf } from "../../model/object.ts";
import { actionPlaceholder, publication } from "../../model/publication.ts";
import type { World } from "../../ports/world.ts";
import { workflowCallers } from "../../world/workflow-callers.ts";
import { rejectExisting, writeNewFiles } from "../files/write-new-files.ts";
import { collect, requireAnyFlag } from "../flags/options.ts";
import { print, printReport } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import { type Answers, askToKeep, collectAnswers, defaults } from "./answers.ts";
import {
  type InitSources,
  isRendered,
  keptEntries,
  notKeepable,
  readInitSources,
} from "./sources.ts";

interface InitFlags extends Partial<Answers> {
  readonly from?: readonly string[];
  readonly keep?: boolean;
  readonly withoutSecrets?: boolean;
  readonly workflows: boolean;
  /** The repository and the ref, such as `acme/qvs-action@0123…`. */
  readonly action?: string;
  readonly yes?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function defineInit(command: Command, run: RunCommand): void {
  requireAnyFlag(command, ["--keep", "--without-secrets", "--kubeconfig", "--context"], ["--from"]);
  command
    .optionsGroup("Application:")
    .option("--name <name>", "name of the application (default: that of the directory)")
    .option("-n, --namespace <name>", "namespace of production (default: the name)", parseNamespace)
    .addOption(
      new Option(
        "--image <image>",
        `image of the container (default: ${defaults.image})`,
      ).conflicts("from"),
    )
    .addOption(
      new Option("--port <port>", `port of the container (default: ${defaults.port})`).conflicts(
        "from",
      ),
    )
    .optionsGroup("Existing manifests:")
    .option(
      "--from <manifests>",
      "directory or file of manifests, - for stdin, or KIND/NAME in the cluster; repeatable",
      collect,
    )
    .addOption(
      new Option(
        "--keep",
        "deploy the files of --from as they are, without an adapter (default: ask on a terminal)",
      ).conflicts("withoutSecrets"),
    )
    .option("--without-secrets", "omit Secrets of --from (default: a Secret is an error)")
    .option(
      "--kubeconfig <file>",
      "kubeconfig for --from (default: KUBECONFIG, then ~/.kube/config)",
    )
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .optionsGroup("Options:")
    .option(
      "--action <owner/repo@ref>",
      "repository and commit of qvs for the workflows (default: a placeholder)",
      parseAction,
    )
    .option("--no-workflows", "write no .github/workflows")
    .option("-y, --yes", "use the defaults without questions (default: ask on a terminal)")
    .action((flags: InitFlags) => run(flags, (world, shell) => init(world, shell, flags)));
}

async function init(world: World, shell: Shell, flags: InitFlags): Promise<number> {
  const root = world.repository?.root ?? shell.cwd();
  const action = flags.action ?? publication.action ?? actionPlaceholder;
  const callers = flags.workflows
    ? await workflowCallers((await world.repository?.defaultBranch()) ?? "main", action)
    : new Map<string, string>();
  const workflows = prefixPaths(".github/workflows", callers);
  // The paths don't depend on the answers. They are checked first, so that a user doesn't answer
  // questions before an error.
  const paths = flags.from === undefined ? starterPaths() : adoptionPaths();
  await rejectExisting(root, [...paths, ...workflows.keys()]);
  const written = await (flags.from === undefined
    ? createRepositoryFiles(world, shell, flags, root)
    : adoptManifests(
        world,
        shell,
        flags,
        root,
        await readInitSources(shell, sourcesToRead(shell, flags)),
      ));
  if (written === undefined) {
    print(shell.stderr, "Canceled. Nothing was written.");
    return exitCode.interrupted;
  }
  const files = new Map([...written.files, ...workflows]);
  await writeNewFiles(root, files);
  for (const note of written.notes) printReport(shell.stderr, note);
  const { deployment, objects } = written;
  printReport(
    shell.stdout,
    nextSteps(root, shell.cwd(), { files: [...files.keys()], deployment, action, objects }),
  );
  return exitCode.done;
}

/** Returns the sources to read. A kustomization or chart that stays as it is has no objects yet. */
function sourcesToRead(shell: Shell, { from = [], keep }: InitFlags): readonly string[] {
  return keep === true ? from.filter((each) => !isRendered(shell.cwd(), each)) : from;
}

interface InitResult {
  readonly files: RepositoryFiles;
  /** The deployment to start with. */
  readonly deployment: string;
  readonly notes: readonly string[];
  /** The directories and files with the objects, from the root of the repository. */
  readonly objects: readonly string[];
}

/** Writes the first adapter. Returns undefined if the user interrupts the questions. */
async function createRepositoryFiles(
  world: World,
  shell: Shell,
  flags: InitFlags,
  root: string,
): Promise<InitResult | undefined> {
  const keys = ["name", "namespace", "image", "port"] as const;
  const answers = await collectAnswers(keys, {
    flags,
    shell,
    signal: world.signal,
    folder: basename(root),
  });
  if (answers === undefined) return undefined;
  const files = starterFiles({ ...answers, port: Number(answers.port) });
  return {
    files,
    deployment: `${answers.name}-staging`,
    notes: [],
    objects: ["adapters/"],
  };
}

async function adoptManifests(
  world: World,
  shell: Shell,
  flags: InitFlags,
  root: string,
  { files, objects }: InitSources,
): Promise<InitResult | undefined> {
  const namespace = flags.namespace ?? "default";
  const live =
    objects.length === 0
      ? []
      : await readLive(
          (await world.target({ ...anyDeployment, namespace, context: flags.context })).cluster,
          objects.map((object) => ({ ...object, namespace })),
        );
  const found = [...readFiles(files), ...live];
  const namespaces = new Set(found.flatMap(({ object }) => idOf(object).namespace || []));
  // If the manifests name one namespace, it also applies to those without one.
  const keys =
    namespaces.size === 1 ? (["name"] as const) : (["name", "manifestNamespace"] as const);
  const answers = await collectAnswers(keys, {
    flags,
    shell,
    signal: world.signal,
    folder: basename(root),
  });
  if (answers === undefined) return undefined;
  const entries = objects.length > 0 ? undefined : keptEntries(root, shell.cwd(), flags.from ?? []);
  if (flags.keep === true && entries === undefined) throw notKeepable();
  const asked = { flags, shell, signal: world.signal, folder: basename(root) };
  const keeps = flags.keep ?? (entries === undefined ? false : await askToKeep(asked));
  if (keeps === undefined) return undefined;
  if (keeps && entries !== undefined) {
    const { files: kept, plainTextSecrets } = keep(found, { ...answers, entries });
    return {
      files: kept,
      deployment: answers.name,
      notes: plainTextSecrets.map(readableNote),
      objects: entries.map(({ path }) => path.replace(/^(\.\.\/)+/, "")),
    };
  }
  const { withoutSecrets = false } = flags;
  const adopted = adopt(found, { ...answers, withoutSecrets });
  return {
    files: adopted.files,
    deployment: answers.name,
    notes: adoptionNotes(adopted),
    objects: ["adapters/"],
  };
}

/** A deployment that only selects the cluster. It is never deployed. */
const anyDeployment = {
  name: "init",
  config: "",
  params: [],
  environment: undefined,
  dependsOn: [],
};

/** Warns about a value that everyone with access to the repository can read. */
function readableNote(name: string): string {
  return `${name} might contain a secret in plain text: everyone with access to the repository can read it`;
}

function adoptionNotes({
  omitted: leftOut,
  plainTextSecrets: inTheClear,
}: ReturnType<typeof adopt>): readonly string[] {
  return [
    ...leftOut.map(
      (name) => `${name} was omitted: it stays in the cluster, and qvs doesn't manage it`,
    ),
    ...inTheClear.map(
      (name) =>
        `${name} might contain a secret in plain text: check adapters/app/app.cue before you commit it`,
    ),
  ];
}

function prefixPaths(folder: string, files: RepositoryFiles): RepositoryFiles {
  return new Map([...files].map(([name, text]) => [`${folder}/${name}`, text]));
}

const actionSteps = [
  "",
  `In .github/workflows, replace ${actionPlaceholder} with the repository and full commit of`,
  "your qvs. `qvs init --action OWNER/REPO@FULL_COMMIT` writes them.",
];

interface WrittenFiles extends Pick<InitResult, "objects"> {
  readonly files: readonly string[];
  readonly deployment: string;
  readonly action: string;
}

function nextSteps(
  root: string,
  directory: string,
  { files, deployment, action, objects }: WrittenFiles,
): string {
  const where = root === directory ? "" : ` in ${root}`;
  const hasWorkflows = files.some((file) => file.startsWith(".github/"));
  const github = [
    ...(action === actionPlaceholder ? actionSteps : []),
    "",
    "On GitHub, add the secret KUBECONFIG, and name the reviewers in .github/CODEOWNERS:",
    "  /.valuestream/ @your-org/your-team",
    ...objects.map((path) => `  /${path} @your-org/your-team`),
    "  /.github/ @your-org/your-team",
  ];
  return [
    `Wrote${where}:`,
    ...files.map((file) => `  ${file}`),
    "",
    "Next:",
    `  qvs compile -d ${deployment}   # prints the manifests; needs no cluster`,
    `  qvs diff -d ${deployment}      # shows the changes; writes nothing`,
    `  qvs deploy -d ${deployment}`,
    `  qvs rbac -d ${deployment}      # prints roles for kubectl apply`,
    ...(hasWorkflows ? github : []),
  ].join("\n");
}

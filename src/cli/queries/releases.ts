import { type Command, Option } from "commander";
import {
  findRelease,
  type ListedReleases,
  listReleases,
  releaseCompilation,
  releasesToCompare,
} from "../../commands/queries/releases.ts";
import { parseReleaseNumber } from "../../inputs/parse.ts";
import type { Release } from "../../model/deployments/release.ts";
import type { Json } from "../../model/json.ts";
import type { World } from "../../ports/world.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";
import {
  inputJson,
  manifestsJson,
  passedChecksJson,
  releaseDiffJson,
  releaseLayout,
  releaseManifests,
  renderDetails,
  renderReleaseDiff,
  renderResults,
  resultsJson,
} from "../../report/queries/release-details.ts";
import { releaseJson, renderReleases, rolloutsJson } from "../../report/queries/releases.ts";
import { toUnsortedYaml } from "../../report/text/yaml.ts";
import { outputLooks, printYaml } from "../output/print.ts";
import { exitCode } from "../output/report-failure.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";
import { allFlags, locate, printAnswer, type QueryFlags, withQueryOptions } from "./answer.ts";

export function defineReleases(command: Command, run: RunCommand): void {
  command.enablePositionalOptions();
  withQueryOptions(command).action((flags: QueryFlags) =>
    run(flags, async (world, shell) => {
      const located = await locate(world, shell, flags);
      const { summaries } = await listReleases(world, located);
      const { name, namespace } = located.deployment;
      const of = { deployment: name, namespace, now: world.clock.now().toISOString() };
      printAnswer(shell, flags, {
        text: (looks) => renderReleases(summaries, of, looks),
        json: () => ({ deployment: name, namespace, releases: summaries.map(releaseJson) }),
      });
      return exitCode.done;
    }),
  );
  addShow(command, run);
  addDiff(command, run);
}

const parts = ["manifests", "layout", "input", "results"] as const;
type ReleasePart = (typeof parts)[number];

type ShowFlags = QueryFlags & { readonly [P in ReleasePart]?: boolean };

function addShow(releases: Command, run: RunCommand): void {
  const command = releases
    .command("show")
    .description("show one release; values of Secrets are hidden")
    .argument("<release>", "number of the release", parseReleaseNumber);
  const others = (part: ReleasePart) => parts.filter((each) => each !== part);
  withQueryOptions(command)
    .addOption(partOption("manifests", "show its manifests").conflicts(others("manifests")))
    .addOption(
      partOption("layout", "show its adapters with their resources").conflicts(others("layout")),
    )
    .addOption(
      partOption("input", "show its config, parameters and commits of modules").conflicts(
        others("input"),
      ),
    )
    .addOption(
      partOption("results", "show the result for each object").conflicts(others("results")),
    )
    .action((number: number) => {
      const flags = allFlags<ShowFlags>(command);
      return run(flags, async (world, shell) => {
        const listed = await listReleases(world, await locate(world, shell, flags));
        show(listed, findRelease(listed.history, number), flags, shell);
        return exitCode.done;
      });
    });
}

function partOption(part: ReleasePart, description: string): Option {
  return new Option(`--${part}`, description);
}

function show(listed: ListedReleases, release: Release, flags: ShowFlags, shell: Shell): void {
  const { stdout } = shell;
  const part = parts.find((each) => flags[each] === true);
  const isText = (flags.format ?? "text") === "text";
  if (isText && part === "manifests") {
    printYaml(stdout, releaseManifests(releaseCompilation(release)));
  } else if (isText && (part === "layout" || part === "input")) {
    printYaml(stdout, toUnsortedYaml(releasePartJson(release, part)));
  } else if (isText && part === "results") {
    stdout.write(renderResults(release, secretStrings(release), outputLooks(stdout)));
  } else showWhole(listed, release, part, flags, shell);
}

function showWhole(
  { summaries }: ListedReleases,
  release: Release,
  part: ReleasePart | undefined,
  flags: ShowFlags,
  shell: Shell,
): void {
  const summary = summaries.find(({ revision }) => revision === release.revision);
  if (summary === undefined) throw new Error("every release has a summary");
  const shownParts: readonly ReleasePart[] = part === undefined ? parts : [part];
  printAnswer(shell, flags, {
    text: (looks) =>
      renderDetails(summary, renderResults(release, secretStrings(release), looks), looks),
    json: () => ({
      ...releaseJson(summary),
      ...Object.fromEntries(shownParts.map((each) => [each, releasePartJson(release, each)])),
      ...(shownParts.includes("results")
        ? {
            checks: passedChecksJson(release, secretStrings(release)),
            rollouts: rolloutsJson(release),
          }
        : {}),
    }),
  });
}

function releasePartJson(release: Release, part: ReleasePart): Json {
  const compilation = releaseCompilation(release);
  switch (part) {
    case "manifests":
      return manifestsJson(compilation);
    case "layout":
      return releaseLayout(compilation);
    case "input":
      return inputJson(release.inputConfig, compilation.hides ?? []);
    case "results":
      return resultsJson(release.results, secretStrings(release));
  }
}

function addDiff(releases: Command, run: RunCommand): void {
  const command = releases
    .command("diff")
    .description("show the differences between two releases")
    .argument("<release>", "number of the release", parseReleaseNumber)
    .argument(
      "[other]",
      "number of the other release (default: the current one)",
      parseReleaseNumber,
    );
  withQueryOptions(command).action((number: number, other: number | undefined) => {
    const flags = allFlags<QueryFlags>(command);
    return run(flags, async (world, shell) => diff(world, shell, flags, number, other));
  });
}

async function diff(
  world: World,
  shell: Shell,
  flags: QueryFlags,
  number: number,
  other: number | undefined,
): Promise<number> {
  const listed = await listReleases(world, await locate(world, shell, flags));
  const compared = releasesToCompare(listed, number, other);
  const [from, to] = [compared.from, compared.to].map((release) => ({
    revision: release.revision,
    compilation: releaseCompilation(release),
  })) as [ComparedContent, ComparedContent];
  printAnswer(shell, flags, {
    text: (looks) => renderReleaseDiff(from, to, looks),
    json: () => releaseDiffJson(from, to),
  });
  return exitCode.done;
}

type ComparedContent = Parameters<typeof renderReleaseDiff>[0];

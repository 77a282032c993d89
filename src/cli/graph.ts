import { type Command, Option } from "commander";
import { diff } from "../commands/diff.ts";
import { UserError } from "../model/problems/errors.ts";
import { svgOutput } from "../redaction/program-output.ts";
import { renderDot, renderMermaid } from "../report/graph/graph-text.ts";
import { planGraph } from "../report/graph/plan-graph.ts";
import { renderSvg } from "../report/graph/svg.ts";
import {
  type CommonOptions,
  selectDeployment,
  withCacheOption,
  withClusterOptions,
  withCommonOptions,
} from "./flags/options.ts";
import { type PreviewFlags, previewRequest, withPolicyOptions } from "./flags/policy.ts";
import { print } from "./output/print.ts";
import { exitCode } from "./output/report-failure.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Output } from "./program/shell.ts";

const formats = ["mermaid", "dot", "svg"] as const;

interface GraphFlags extends CommonOptions, PreviewFlags {
  readonly format: (typeof formats)[number];
  readonly changes?: boolean;
}

export function defineGraph(command: Command, run: RunCommand): void {
  withPolicyOptions(withCacheOption(withClusterOptions(withCommonOptions(command))))
    .addOption(
      new Option("--format <format>", "format of the output")
        .choices(formats)
        .default("mermaid", "mermaid"),
    )
    .option("--changes", "show only objects that would change")
    .option("--adopt", "preview with --adopt of qvs deploy")
    .action((flags: GraphFlags) =>
      run(flags, async (world, shell) => {
        const deployment = await selectDeployment(world, shell, flags);
        const options = {
          inline: flags.param ?? [],
          request: previewRequest(flags),
          base: undefined,
        };
        const { plan, problems, blockers } = await diff(world, deployment, options);
        if (plan === undefined) throw new UserError([...problems, ...blockers]);
        const graph = planGraph(plan, flags.changes === true ? "changes" : "all");
        draw(graph, flags.format, shell.stdout);
        return exitCode.done;
      }),
    );
}

function draw(
  graph: ReturnType<typeof planGraph>,
  format: GraphFlags["format"],
  stdout: Output,
): void {
  switch (format) {
    case "mermaid":
      print(stdout, renderMermaid(graph).join("\n"));
      return;
    case "dot":
      stdout.write(renderDot(graph));
      return;
    case "svg":
      stdout.write(svgOutput(renderSvg(graph)));
  }
}

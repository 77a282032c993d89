import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "./table.ts";

/** The medians of one row of bench/RESULTS.md. */
interface Figures {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Returns the wall times of deploying 5,000 objects, next to other tools. */
export function deployingFigures(): string {
  const section = "Deploying 5,000 objects";
  const tools = ["kubectl apply", "kapp deploy", "qvs deploy"];
  const row = (state: string) => [
    state,
    ...tools.map((tool) => seconds(read(section, `${state}: ${tool}`).wallMs)),
  ];
  const memory = tools.map((tool) => megabytes(read(section, `new: ${tool}`).peakMb));
  return table(
    ["5,000 objects", "kubectl apply", "kapp", "qvs"],
    [row("new"), row("unchanged"), row("1 % changed"), ["peak memory, new", ...memory]],
  );
}

/** Returns the wall times until 300 new Deployments are available, next to other tools. */
export function rolloutFigures(): string {
  const section = "Deploying 300 Deployments";
  const tools = ["kubectl apply", "kapp deploy", "qvs deploy"];
  return table(
    ["300 Deployments", "kubectl apply and wait", "kapp", "qvs"],
    [
      [
        "until all are available",
        ...tools.map((tool) => seconds(read(section, `ready: ${tool}`).wallMs)),
      ],
    ],
  );
}

/** Returns the wall times of compiling one and many adapters, next to `cue export`. */
export function compilingFigures(): string {
  const one = "`kubernetes/deployment/simple`";
  const wall = (section: string, subject: string) => seconds(read(section, subject).wallMs);
  return table(
    ["", "cue export", "qvs compile"],
    [
      [
        "one adapter, native engine",
        wall("Compiling", `${one}: cue export`),
        wall("Compiling", `${one}: qvs compile, native`),
      ],
      [
        "one adapter, WebAssembly",
        wall("Compiling", `${one}: cue export`),
        wall("Compiling", `${one}: qvs compile, wasm`),
      ],
      [
        "200 configs, without cache",
        wall("Compiling many", "200 × cue export"),
        wall("Compiling many", "qvs compile --all, cold"),
      ],
      ["one adapter of 20 changed", "–", wall("Compiling many", "the same, one adapter changed")],
      ["nothing changed", "–", wall("Compiling many", "the same, unchanged")],
    ],
  );
}

/** Returns the costs of the Action's previews, without a cluster. */
export function fleetFigures(): string {
  const cost = (subject: string) => {
    const { cpuMs, peakMb } = read("Fleets", subject);
    return `${seconds(cpuMs)}, ${megabytes(peakMb)}`;
  };
  return table(
    ["", "100 deployments", "1,000 deployments"],
    [
      [
        "list the deployments of a push, one changed",
        cost("1 of 100, only listed"),
        cost("1 of 1,000, only listed"),
      ],
      ["preview of a pull request, one changed", cost("1 of 100"), cost("1 of 1,000")],
      ["preview of a pull request, 300 changed", "–", cost("300 of 1,000")],
    ],
  );
}

/** Returns the costs of the Action's process with 1,000 deployments in a cluster. */
export function pushFigures(): string {
  const row = (name: string, subject: string) => {
    const { wallMs, cpuMs, peakMb } = read("Pushing 1,000 deployments", subject);
    return [name, seconds(wallMs), seconds(cpuMs), megabytes(peakMb)];
  };
  return table(
    ["1,000 deployments of four objects", "wall time", "CPU time", "peak memory"],
    [
      row("first push", "first push"),
      row("preview, all changed", "pull request, all changed"),
      row("preview, 300 changed", "pull request, 30 % changed"),
      row("preview, one changed", "pull request, one changed"),
    ],
  );
}

/** Returns one row of the results. Throws an error if the row wasn't measured. */
function read(section: string, subject: string): Figures {
  const text = readFileSync(join(import.meta.dirname, "../../bench/RESULTS.md"), "utf8");
  const own = text.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
  const line = own.split("\n").find((each) => each.startsWith(`| ${subject} |`));
  if (line === undefined) throw new Error(`bench/RESULTS.md has no "${subject}" in "${section}"`);
  const [wallMs = 0, cpuMs = 0, peakMb = 0] = line
    .slice(`| ${subject} |`.length)
    .split("|")
    .map((each) => Number.parseFloat(each));
  return { wallMs, cpuMs, peakMb };
}

function seconds(ms: number): string {
  return ms < 995 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(1)} s`;
}

function megabytes(mb: number): string {
  return `${mb.toLocaleString("en")} MB`;
}

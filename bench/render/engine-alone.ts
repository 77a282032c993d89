import { readdirSync, readFileSync } from "node:fs";
import { instantiate } from "../../src/io/cue/engine/instance.ts";
import { NativeProgram } from "../../src/io/cue/engine/native.ts";
import { outputLimits } from "../../src/io/cue/limits.ts";
import { renderSources } from "../../src/io/render/render-build.ts";
import type { Cost } from "../timed.ts";

/**
 * Sends one request to a new process of a native render engine, which reads files below
 * `directory`. Returns the costs of this process from its start to its answer, without those of the
 * process that answers its questions about files. It needs Linux.
 */
export function engineAlone(native: string, directory: string, request: object): Cost {
  const begin = performance.now();
  let pid = 0;
  const program = new NativeProgram(native, renderSources, (started) => {
    pid = started;
  });
  const engine = instantiate(program, [{ display: "", files: { in: "directory", directory } }]);
  const answer = engine.call(JSON.stringify(request), outputLimits.answer);
  const wallMs = performance.now() - begin;
  const cost = { wallMs, cpuMs: cpuMs(pid), peakMb: peakMb(pid) };
  engine.close();
  const { result } = JSON.parse(answer);
  if (result === undefined) throw new Error(`The engine renders nothing: ${answer}`);
  return cost;
}

/** Returns the CPU time of all threads. Threads of Go don't end before the process. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

import { type ChildProcess, spawn } from "node:child_process";
import { readSync, writeSync } from "node:fs";
import type { ModuleRoot } from "../../../ports/cue.ts";
import { AnswerTooLarge, EngineFailure } from "../failure.ts";
import type { FileQuestion } from "../inputs-read.ts";
import type { FileAnswer } from "../root-files.ts";
import { type Host, host } from "./host.ts";
import type { EngineInstance } from "./instance.ts";

/** Receives the id of each process that starts, and of each that has ended. */
export type OnProcess = (pid: number, state: "started" | "ended") => void;

/**
 * The engine as a program of this machine. Each engine is a process.
 * A process starts in advance, so that it is ready when the next engine is needed.
 */
export class NativeProgram {
  readonly #start: () => EngineProcess | undefined;
  #spare: EngineProcess | undefined;

  /** `sources` is the digest of the sources that the program must be built from. */
  constructor(path: string, sources: string, onProcess: OnProcess = () => {}) {
    this.#start = () => startProcess(path, sources, onProcess);
  }

  /**
   * Starts a process and checks that it was built from the sources that this program knows. Returns
   * false if it can't start, for example because it is of another machine.
   */
  isUsable(): boolean {
    this.#spare ??= this.#start();
    return this.#spare !== undefined;
  }

  /** Returns a process that nothing else uses. */
  take(): EngineProcess {
    const found = this.#spare ?? this.#start();
    this.#spare = undefined;
    if (found === undefined) throw new Error("the native engine doesn't start");
    return found;
  }
}

/** A process, and the pipes to it. Reads and writes wait, as a call of a function does. */
interface EngineProcess {
  readonly child: ChildProcess;
  readonly input: number;
  readonly output: number;
  readonly errors: number;
}

/** Kinds of frames, as in engine/native/main.go. */
const kinds = {
  hello: 0x68,
  request: 0x72,
  answer: 0x61,
  files: 0x66,
  entries: 0x65,
  text: 0x74,
  found: 0x64,
  notFound: 0x6e,
  memory: 0x6d,
} as const;

const questions: ReadonlyMap<number, FileQuestion["ask"]> = new Map([
  [kinds.files, "files"],
  [kinds.entries, "entries"],
  [kinds.text, "text"],
]);

/**
 * Starts a process outside of the repository and without environment variables, apart from the one
 * that keeps Go's report of a crash short.
 */
function startProcess(
  path: string,
  sources: string,
  onProcess: OnProcess,
): EngineProcess | undefined {
  const child = spawn(path, [], {
    cwd: "/",
    env: { GOTRACEBACK: "none" },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  child.on("error", () => {});
  const { pid } = child;
  if (pid === undefined) return undefined;
  onProcess(pid, "started");
  child.once("exit", () => onProcess(pid, "ended"));
  // A program that compiles nothing more ends without waiting for the process.
  child.unref();
  const [input, output, errors] = [child.stdin, child.stdout, child.stderr].map(blockingFile);
  if (input === undefined || output === undefined || errors === undefined) {
    child.kill("SIGKILL");
    return undefined;
  }
  const started = { child, input, output, errors };
  if (isRightBuild(started, sources)) return started;
  child.kill("SIGKILL");
  return undefined;
}

/** The part of libuv's handles that reads and writes need. Node.js uses it for its own streams. */
interface PipeHandle {
  readonly fd?: number;
  setBlocking?(isBlocking: boolean): number;
  readStop?(): number;
  unref?(): void;
}

/** Returns the file of a pipe, whose reads and writes wait from now on. */
function blockingFile(stream: unknown): number | undefined {
  const { _handle: handle } = stream as { readonly _handle?: PipeHandle };
  if (handle?.fd === undefined || handle.fd < 0) return undefined;
  if (handle.setBlocking?.(true) !== 0) return undefined;
  handle.readStop?.();
  handle.unref?.();
  return handle.fd;
}

function isRightBuild({ output }: EngineProcess, sources: string): boolean {
  try {
    const { kind, length } = readHead(output);
    return readBytes(output, length).toString() === sources && kind === kinds.hello;
  } catch {
    return false;
  }
}

/** Starts an engine in a process of its own. */
export function instantiateNative(
  program: NativeProgram,
  roots: readonly ModuleRoot[],
): EngineInstance {
  const engine = program.take();
  const files = host(roots);
  let failure: EngineFailure | undefined;
  const orFailure = <T>(work: () => T): T => {
    if (failure !== undefined) throw failure;
    try {
      return work();
    } catch (cause) {
      if (cause instanceof AnswerTooLarge) throw cause;
      failure = new EngineFailure(cause, printedBy(engine));
      throw failure;
    }
  };
  return {
    host: files,
    call: (request, maxBytes) =>
      orFailure(() => {
        writeFrame(engine.input, kinds.request, Buffer.from(request));
        return readAnswer(engine, files, maxBytes).toString();
      }),
    usedMemory: () => {
      if (failure !== undefined) return 0;
      return orFailure(() => {
        writeFrame(engine.input, kinds.memory, Buffer.alloc(0));
        return Number(readAnswer(engine, files, 8).readBigUInt64LE());
      });
    },
    close: () => void engine.child.kill("SIGKILL"),
  };
}

/** Answers the questions of the engine until it answers. */
function readAnswer({ input, output }: EngineProcess, files: Host, maxBytes: number): Buffer {
  for (;;) {
    const { kind, length } = readHead(output);
    const ask = questions.get(kind);
    if (ask === undefined) {
      if (length <= maxBytes) return readBytes(output, length);
      skipBytes(output, length);
      throw new AnswerTooLarge(length);
    }
    const question = readBytes(output, length);
    const [root, path] = [question.readUInt32LE(), question.subarray(4).toString()];
    writeFound(input, files.ask({ root, path, ask }));
  }
}

function writeFound(input: number, answer: FileAnswer): void {
  if (typeof answer !== "number") {
    writeFrame(input, kinds.found, answer);
    return;
  }
  const code = Buffer.alloc(4);
  code.writeInt32LE(answer);
  writeFrame(input, kinds.notFound, code);
}

const headLength = 5;

function writeFrame(file: number, kind: number, content: Buffer): void {
  const head = Buffer.alloc(headLength);
  head.writeUInt8(kind);
  head.writeUInt32LE(content.length, 1);
  const frame = Buffer.concat([head, content]);
  for (let at = 0; at < frame.length; ) at += writeSync(file, frame, at);
}

function readHead(file: number): { readonly kind: number; readonly length: number } {
  const head = readBytes(file, headLength);
  return { kind: head.readUInt8(), length: head.readUInt32LE(1) };
}

function readBytes(file: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const read = readSync(file, bytes, at, length - at, null);
    if (read === 0) throw new Error("the native engine ended before it answered");
    at += read;
  }
  return bytes;
}

function skipBytes(file: number, length: number): void {
  const step = 1 << 20;
  for (let rest = length; rest > 0; rest -= step) readBytes(file, Math.min(step, rest));
}

/** The maximum length of an output that explains a crash. */
const printedLimit = 16_000;

/** Returns the first output of a process that has closed its pipes. It explains a crash. */
function printedBy({ child, errors }: EngineProcess): string {
  child.kill("SIGKILL");
  const bytes = Buffer.alloc(printedLimit);
  let at = 0;
  try {
    for (let read = -1; read !== 0 && at < printedLimit; at += read)
      read = readSync(errors, bytes, at, printedLimit - at, null);
  } catch {
    // The message of the failed read or write has to do.
  }
  return bytes.subarray(0, at).toString();
}

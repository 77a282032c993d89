import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { buildTools } from "../cluster/build.ts";

/** The results of one client. */
interface ClientCounts {
  readonly requests: number;
  readonly failed: number;
  /** The number of failures by their reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** The number of answers by their first line. */
  readonly answers: Readonly<Record<string, number>>;
  /** The time of the last answer by its first line, as in `Date.now()`. */
  readonly lastAnswers: Readonly<Record<string, number>>;
  readonly longestMs: number;
}

/** The results of both clients. */
export interface LoadResult {
  readonly requests: number;
  readonly failed: number;
  /** The client that opens a connection for each request. */
  readonly newConnections: ClientCounts;
  /** The client that keeps its connections open. */
  readonly keptConnections: ClientCounts;
  /** One line per failure: time, reason, duration. */
  readonly log: string;
}

/** Two clients that send requests until `stop`. */
export interface Load {
  stop(): Promise<LoadResult>;
}

/**
 * Starts to send requests to a URL, each client at `rate` per second, for at most `minutes`.
 * Resolves when both clients have received an answer. Throws if none comes within a minute.
 */
export async function startLoad(url: string, rate = 100, minutes = 20): Promise<Load> {
  const { path } = await buildTools("node-programs");
  const child = spawn(path("load"), [`-url=${url}`, `-rate=${rate}`, `-limit=${minutes}m`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const timer = setTimeout(() => child.kill("SIGTERM"), 60_000);
  const first = await lines.next();
  clearTimeout(timer);
  if (first.value !== "answered") throw new Error(`No answer from ${url}: ${first.value}`);
  return {
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const { value } = await lines.next();
      await exited;
      const { newConnections, keptConnections } = JSON.parse(value ?? "");
      const both: readonly ClientCounts[] = [newConnections, keptConnections];
      return {
        requests: both.reduce((sum, one) => sum + one.requests, 0),
        failed: both.reduce((sum, one) => sum + one.failed, 0),
        newConnections,
        keptConnections,
        log: await log,
      };
    },
  };
}
